import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';

const PASSWORD = 'turbine-password';
const administrator = { name: 'keeper', permissions: ['rest.admin'], password: PASSWORD };
const USERS = Array.from({ length: 20 }, (_, index) => `user-${index}`);

async function kill({ process: child }: RunningGateway): Promise<void> {
  const ended = once(child, 'exit');
  assert.ok(child.kill('SIGKILL'));
  await ended;
}

test('what was answered is in the audit, even if the process is killed with the answer', async (t) => {
  const first = await startGateway(t, { config: { provision: { identities: [administrator] } } });
  const client = new SessionClient({ port: first.httpsPorts[0] ?? 0 });
  await client.login('keeper', PASSWORD);
  const answers = USERS.map(async (userName) => {
    const json = { userName, permissions: ['rest.assets.read'] };
    return client.send('POST', '/services/identity/v1/identities', { body: json });
  });
  const answered = await Promise.all(answers);
  const last = await client.send('PUT', '/services/identity/v1/identities', {
    body: { userName: 'user-0', permissions: ['rest.assets'] },
  });
  await kill(first);
  assert.deepEqual(
    [...answered, last].map(({ status }) => status),
    Array.from({ length: 21 }, () => 200),
  );

  const second = await startGateway(t, { directory: first.directory });
  const reader = new SessionClient({ port: second.httpsPorts[0] ?? 0 });
  await reader.login('keeper', PASSWORD);
  const { json } = await reader.send('GET', '/services/audit/v1/events?limit=100');
  const { events } = answerOf(listAuditEvents, { json });
  const created = events.filter(({ event }) => event === 'IDENTITY_CREATED');
  const names = new Set(created.map(({ detail }) => detail?.userName));
  for (const name of USERS) assert.ok(names.has(name), name);
  assert.deepEqual(
    events.filter(({ event }) => event === 'PERMISSIONS_CHANGED').map(({ detail }) => detail?.userName),
    ['user-0'],
  );
});
