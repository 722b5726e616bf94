import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';

import { TlsLink } from '../../../drivers/link/tls-link.ts';
import { basicConstraints, subjectAltName } from '../../support/certificate-extension.ts';
import { CertificateFiles } from '../../support/certificate-files.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const EVENTS = { onChunk: () => undefined, onClose: () => undefined };
const SERVER = { extensions: [basicConstraints(false), subjectAltName({ ip: '127.0.0.1' })] };

/** Starts a device with the certificate of this name and returns a link to it. */
async function connect(
  t: TestContext,
  made: CertificateFiles,
  server: string,
  client: string,
): Promise<TlsLink> {
  const read = (file: string) => readFileSync(made.file(file));
  const device = createServer({ cert: read(`${server}.crt`), key: read(`${server}.key`) });
  device.on('tlsClientError', () => undefined);
  device.listen(0, '127.0.0.1');
  await once(device, 'listening');
  t.after(() => device.close());
  const link = new TlsLink({
    host: '127.0.0.1',
    port: (device.address() as AddressInfo).port,
    connectTimeoutMs: 5000,
    certificateAuthoritiesFile: made.file('root.crt'),
    certificateFile: made.file(`${client}.crt`),
    privateKeyFile: made.file(`${client}.key`),
    clock: new ManualClock(),
  });
  t.after(() => link.close());
  return link;
}

test('a device with a weak key is refused, and so is a weak key of the gateway', async (t) => {
  const made = new CertificateFiles(createTemporaryDirectory(t));
  made.makeSelfSigned('root');
  for (const name of ['sound', 'weak'] as const) {
    made.issue('root', name, { ...SERVER, key: name === 'weak' ? 'rsa:2048:3' : 'rsa:2048' });
  }
  const { signal } = new AbortController();
  await (await connect(t, made, 'sound', 'sound')).open(signal, EVENTS);
  const refused = { name: 'ConnectionError', message: /exponent/ };
  await assert.rejects((await connect(t, made, 'weak', 'sound')).open(signal, EVENTS), refused);
  await assert.rejects((await connect(t, made, 'sound', 'weak')).open(signal, EVENTS), refused);
});
