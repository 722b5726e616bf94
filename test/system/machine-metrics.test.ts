import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('operators see reload, disk, backups and client certificates in the metrics', async (t) => {
  const [metricsPort = 0] = await findFreePorts(1);
  const provision = {
    rest: { statelessCertificateAuthenticationEnabled: true },
    identities: [{ name: 'scada', permissions: ['rest.assets'] }],
  };
  // Beside the configuration, as on a machine: a backup holds both folders.
  const dataDirectory = createTemporaryDirectory(t);
  const config = { dataDirectory, metrics: { host: '127.0.0.1', port: metricsPort }, provision };
  const gateway = await startGateway(t, { config });
  const read = async (name: string): Promise<number | undefined> => {
    const { text } = await send({ port: metricsPort, plain: true }, 'GET', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(name));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  const isNow = (seconds = 0): boolean => Math.abs(Date.now() / 1000 - seconds) < 600;

  assert.equal(await read('penstock_config_last_reload_successful'), 1);
  assert.ok(isNow(await read('penstock_config_last_reload_timestamp_seconds')));
  const [free = 0, size = 0] = [
    await read('penstock_disk_free_bytes'),
    await read('penstock_disk_size_bytes'),
  ];
  assert.ok(free > 0 && size >= free);

  await gateway.reload({ dataDirectory, log: { level: 'loud' } });
  // The last words are written after the line of the log.
  while ((await read('penstock_config_last_reload_successful')) !== 0);
  await gateway.reload(config);
  assert.equal(await read('penstock_config_last_reload_successful'), 1);

  const ofClient = 'penstock_client_certificate_expiry_timestamp_seconds{identity="scada"}';
  assert.equal(await read(ofClient), undefined);
  const [port = 0] = gateway.clientAuthPorts;
  const { certificate, privateKey } = await getClientCertificate('scada');
  const target = { port, certificate, privateKey };
  assert.equal((await send(target, 'GET', '/services/assets')).status, 200);
  assert.ok(((await read(ofClient)) ?? 0) > Date.now() / 1000);

  assert.equal(await read('penstock_backup_timestamp_seconds'), undefined);
  const passphrase = path.join(gateway.directory, 'passphrase');
  writeFileSync(passphrase, 'a passphrase of its own\n', { mode: 0o600 });
  const file = path.join(createTemporaryDirectory(t), 'gateway.age');
  const socket = path.join(dataDirectory, 'penstock.sock');
  const words = ['--config', gateway.configFile, '--socket', socket, '--password-file', passphrase];
  const { status, errors } = await runCommand(t, ['backup', file, '--keep', '1', ...words]);
  assert.equal(status, 0, errors);
  assert.ok(isNow(await read('penstock_backup_timestamp_seconds')));
  assert.match(readdirSync(path.dirname(file)).join(), /^gateway-\d{8}T\d{6}Z\.age$/);
});
