import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { MISSING_COUNTERPARTS } from '../../daemon/interface/kura/no-counterpart.ts';
import { failureOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';

const PASSWORD = 'a-word-of-the-boss-1';
const PAGE = new URL('../../docs/how-to/kura-migration.md', import.meta.url);

test('a path of Kura without counterpart names what to use instead, after authentication alone', async (t) => {
  const gateway = await startGateway(t, {
    config: {
      provision: { identities: [{ name: 'clerk', permissions: ['rest.assets'], password: PASSWORD }] },
    },
  });
  const port = gateway.httpsPorts[0] ?? 0;
  const clerk = new SessionClient({ port });
  await clerk.login('clerk', PASSWORD);
  for (const { path, instead } of MISSING_COUNTERPARTS) {
    for (const [method, place] of [
      ['GET', `/services/${path}`],
      ['POST', `/services/${path}/anything?of=it`],
      ['DELETE', `/services/${path}/two/parts`],
    ] as const) {
      const what = `${method} ${place}`;
      const answer = await clerk.send(method, place, method === 'POST' ? { body: {} } : {});
      assert.equal(answer.status, 404, what);
      assert.equal(failureOf(answer).message, `no counterpart of ${path} of Kura: ${instead}`, what);
      const anonymous = await send({ port }, method, place);
      assert.equal(anonymous.status, 401, what);
      assert.doesNotMatch(anonymous.text, /counterpart/);
    }
  }
  for (const place of ['/services/wire/v10', '/services/wire', '/services/nothing', '/wire/v1']) {
    const answer = await clerk.send('GET', place);
    assert.equal(answer.status, 404, place);
    assert.doesNotMatch(answer.text, /counterpart/, place);
  }
});

test('the page on Kura lists the paths without counterpart as the gateway names them', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [, section = ''] = page.split('### Paths without counterpart\n');
  const rows = [...(section.split('\n##')[0] ?? '').matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm)].map(
    ([, path, instead]) => ({ path, instead }),
  );
  assert.deepEqual(rows, MISSING_COUNTERPARTS);
});
