import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { getClientCertificate } from '../../../../support/certificate-authority.ts';
import { startGateway } from '../../../../support/gateway.ts';
import { send } from '../../../../support/https-client.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import { METER } from '../../../plant/template/template-fixture.ts';

const ROOT = '/services/configuration/v1/templates';

test('the templates endpoints list and show what the operator has put into the data directory', async (t) => {
  const directory = createTemporaryDirectory(t);
  const dataDirectory = path.join(directory, 'data');
  mkdirSync(path.join(dataDirectory, 'templates'), { recursive: true, mode: 0o700 });
  const write = (file: string, content: unknown) =>
    writeFileSync(path.join(dataDirectory, 'templates', file), JSON.stringify(content));
  write('example-meter.yaml', METER);
  write('broken.yaml', { name: 'broken' });
  const gateway = await startGateway(t, {
    directory,
    config: {
      dataDirectory,
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'engineer', permissions: ['rest.configuration'] }],
      },
    },
  });
  const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('engineer')) };
  const get = async (place: string) => {
    const { status, text } = await send(client, 'GET', `${ROOT}${place}`);
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  };

  const { channels, ...head } = METER;
  const listed = await get('');
  assert.equal(listed.status, 200);
  const { templates, unusable } = listed.body as Record<string, { name?: string; file?: string }[]>;
  assert.deepEqual(
    templates?.find(({ name }) => name === METER.name),
    head,
  );
  assert.deepEqual(
    unusable?.map(({ file }) => file),
    ['broken.yaml'],
  );

  const shown = await get('/example-meter');
  const [channel] = channels;
  const expanded = { ...channel, address: { ...channel.address, unitId: 1 } };
  assert.deepEqual(shown, { status: 200, body: { ...head, channels: [expanded] } });

  const { status, body } = await get('/example-metre');
  assert.equal(status, 404);
  assert.match(String(body['message']), /did you mean "example-meter"/);
});
