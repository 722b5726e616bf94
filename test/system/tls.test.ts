import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

import {
  issueServerCertificate,
  listLocalNames,
} from '../../daemon/security/certificate/certificate-issuer.ts';
import { Network } from '../../daemon/server/http/connection/network.ts';
import { Listener } from '../../daemon/server/http/connection/listener.ts';
import { createConnectionTable } from '../support/connection-table.ts';
import { getCertificateAuthority, getServerCertificate } from '../support/certificate-authority.ts';
import { ListenerSet } from '../../daemon/server/http/connection/listener-set.ts';
import { gatewaySettingsSchema } from '../../daemon/settings/gateway-settings.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { EXTENSIONS } from '../support/certificate-extension.ts';
import { CertificateFiles } from '../support/certificate-files.ts';
import { connectWithOpenssl } from '../support/openssl.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const INFO = '/services/session/v1/authenticationInfo';
const REQUEST = `GET ${INFO} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

const REFUSED: readonly (readonly [what: string, parameters: readonly string[]])[] = [
  ['TLS 1.0', ['-tls1', '-cipher', 'ALL:@SECLEVEL=0']],
  ['TLS 1.1', ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0']],
  ['CBC', ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:AES128-SHA:@SECLEVEL=0']],
  ['static RSA', ['-tls1_2', '-cipher', 'AES128-GCM-SHA256:AES256-GCM-SHA384:@SECLEVEL=0']],
  ['finite field Diffie-Hellman', ['-tls1_2', '-cipher', 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0']],
  ['NULL', ['-tls1_2', '-cipher', 'eNULL:@SECLEVEL=0']],
  ['no authentication', ['-tls1_2', '-cipher', 'aNULL:@SECLEVEL=0']],
  ['a pre-shared key', ['-tls1_2', '-psk', '00112233', '-cipher', 'PSK:@SECLEVEL=0']],
  ['CCM with a short tag', ['-tls1_3', '-ciphersuites', 'TLS_AES_128_CCM_8_SHA256']],
  ['a weak curve', ['-tls1_2', '-curves', 'P-192', '-cipher', 'ECDHE:@SECLEVEL=0']],
];

const ACCEPTED: readonly (readonly [what: string, parameters: readonly string[]])[] = [
  ['TLS 1.2 with ECDHE and AES-GCM', ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256']],
  ['TLS 1.2 with ECDHE and ChaCha20', ['-tls1_2', '-cipher', 'ECDHE-ECDSA-CHACHA20-POLY1305']],
  ['TLS 1.3 with AES-GCM', ['-tls1_3', '-ciphersuites', 'TLS_AES_128_GCM_SHA256']],
  ['TLS 1.3 with ChaCha20', ['-tls1_3', '-ciphersuites', 'TLS_CHACHA20_POLY1305_SHA256']],
  ['P-256', ['-curves', 'P-256']],
  ['an unknown server name', ['-servername', 'nobody.example']],
  ['a server name that is no host name', ['-servername', '../../etc/passwd']],
  ['a long server name', ['-servername', 'x'.repeat(255)]],
  ['no server name', ['-noservername']],
  ['compression asked for', ['-comp', '-tls1_2']],
];

describe('the protocols of a TLS port', () => {
  const undo: (() => void | Promise<void>)[] = [];
  const owner: Owner = { after: (cleanUp) => void undo.push(cleanUp) };
  let gateway: RunningGateway;
  let port = 0;

  before(async () => {
    gateway = await startGateway(owner, { config: { http: { httpsClientAuthPorts: [] } } });
    port = gateway.httpsPorts[0] ?? 0;
  });
  after(async () => {
    for (const cleanUp of undo.toReversed()) await cleanUp();
  });

  const connectToIt = (parameters: readonly string[], input = REQUEST) =>
    connectWithOpenssl(port, parameters, { directory: gateway.directory, input });

  for (const [what, parameters] of REFUSED) {
    test(`${what} is refused`, needs('openssl'), async () => {
      const { status } = await connectToIt(parameters);
      assert.equal(status, undefined);
      assert.equal((await send({ port }, 'GET', INFO)).status, 200);
    });
  }

  for (const [what, parameters] of ACCEPTED) {
    test(`${what} is accepted`, needs('openssl'), async () => {
      const { status, output } = await connectToIt(parameters);
      assert.equal(status, 200, output);
      assert.match(output, /Compression: NONE/);
    });
  }

  test(
    'only protocols that the port does not speak: no connection, and the next client is served',
    needs('openssl'),
    async () => {
      assert.equal((await connectToIt(['-alpn', 'h2'])).status, undefined);
      assert.equal((await connectToIt(['-alpn', 'h2,http/1.1'])).status, 200);
    },
  );

  test('a client that asks for renegotiation is refused', needs('openssl'), async () => {
    // s_client reads a separate line that begins with R as the command.
    const { output } = await connectToIt(['-tls1_2'], 'R\n');
    assert.match(output, /no renegotiation|RENEGOTIATING[^]*error/i);
    assert.equal((await send({ port }, 'GET', INFO)).status, 200);
  });

  for (const [what, bytes] of [
    ['plain HTTP', Buffer.from(REQUEST)],
    [
      'a hello of SSL 2',
      Buffer.from('802e0100020015000000100100800300800700c006004002008004008000000000', 'hex'),
    ],
    ['a record that claims more than it may', Buffer.from('160301ffff0100', 'hex')],
    ['a handshake message that claims 16 MB', Buffer.from('160301000401ffffff', 'hex')],
    ['an alert', Buffer.from('15030300020228', 'hex')],
    ['application data', Buffer.from('170303000500000000ff', 'hex')],
  ] as const) {
    test(`${what} gets no answer of HTTP and does no harm`, async () => {
      const socket = connectPlain(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.end(bytes);
      await once(socket, 'close');
      assert.doesNotMatch(answer, /HTTP/);
      assert.equal((await send({ port }, 'GET', INFO)).status, 200);
    });
  }
});

test('a handshake that is not finished within its time is cut off', async (t) => {
  const { certificate, privateKey } = await getServerCertificate();
  const listener = new Listener({
    kind: 'https',
    host: '127.0.0.1',
    port: 0,
    tls: { certificate, privateKey, clientCertificateAuthorities: [], certificateRevocationLists: [] },
    application: (_request, response) => void response.end(),
    connections: createConnectionTable(),
    drainMs: 0,
    handshakeTimeoutMs: 50,
  });
  await listener.start();
  t.after(() => listener.stop());
  const socket = connectPlain(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  // A ClientHello of 512 bytes is announced; its rest never comes.
  socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
  socket.resume();
  await once(socket, 'close');
});

/** Puts a pair where the configuration of {@link startWithPair} looks for it. */
async function writePair(directory: string): Promise<string> {
  const { certificate, privateKey } = await issueServerCertificate(
    await getCertificateAuthority(),
    listLocalNames(),
  );
  for (const [name, content] of [
    ['server.key', privateKey],
    ['server.crt', certificate],
  ] as const) {
    const file = path.join(directory, name);
    writeFileSync(`${file}.new`, content, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return new X509Certificate(certificate).fingerprint256;
}

async function startWithPair(t: Owner) {
  const directory = createTemporaryDirectory(t);
  const fingerprint = await writePair(directory);
  const gateway = await startGateway(t, {
    directory,
    config: {
      tls: { certificateFile: 'server.crt', privateKeyFile: 'server.key' },
      http: { httpsClientAuthPorts: [] },
    },
  });
  return { directory, gateway, fingerprint, port: gateway.httpsPorts[0] ?? 0 };
}

async function fetchFingerprint(port: number, options: ConnectionOptions = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('a server certificate that is replaced on the disk comes into force while clients keep connecting', async (t) => {
  const { directory, gateway, fingerprint, port } = await startWithPair(t);
  const open = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(open, 'secureConnect');
  const over = new AbortController();
  const clients = Array.from({ length: 4 }, async () => {
    const statuses = new Set<number>();
    while (!over.signal.aborted) statuses.add((await send({ port }, 'GET', INFO)).status);
    return [...statuses];
  });
  assert.equal(await fetchFingerprint(port), fingerprint);
  const seen = gateway.lines.length;
  const next = await writePair(directory);
  await gateway.line('listening', seen);
  assert.equal(await fetchFingerprint(port), next);
  over.abort();
  assert.deepEqual(await Promise.all(clients), [[200], [200], [200], [200]]);
  open.write(REQUEST);
  const [answer] = (await once(open, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200/);
  open.destroy();
});

test('the protocol floor and the suites stay when certificates are replaced', needs('openssl'), async (t) => {
  const { directory, gateway, port } = await startWithPair(t);
  const seen = gateway.lines.length;
  gateway.process.kill('SIGHUP');
  await gateway.line('reloaded', seen);
  for (const parameters of [
    ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'],
    ['-tls1_2', '-cipher', 'AES128-SHA:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0'],
  ]) {
    assert.equal(
      (await connectWithOpenssl(port, parameters, { directory, input: REQUEST })).status,
      undefined,
    );
  }
  assert.equal((await connectWithOpenssl(port, ['-tls1_2'], { directory, input: REQUEST })).status, 200);
});

for (const [what, spoil, detail] of [
  [
    'a key of another certificate',
    (key: string, other: string) => copyFileSync(other, key),
    /does not match certificate/,
  ],
  ['a key that others may read', (key: string) => chmodSync(key, 0o644), /0644/],
  [
    'half a key',
    (key: string) => writeFileSync(key, readFileSync(key, 'utf8').slice(0, 80)),
    /no unencrypted private key/,
  ],
] as const) {
  test(`${what} leaves the previous pair in force, is reported once, and the next good pair is taken`, async (t) => {
    const { directory, gateway, fingerprint, port } = await startWithPair(t);
    const certificates = new CertificateFiles(directory);
    certificates.makeSelfSigned('other', { extensions: EXTENSIONS.server });
    spoil(path.join(directory, 'server.key'), certificates.file('other.key'));
    const line = await gateway.line('certificate.notReplaced');
    assert.equal(line.level, 'error');
    assert.match(String(line['reason']), detail);
    assert.equal(await fetchFingerprint(port), fingerprint);
    const seen = gateway.lines.length;
    const next = await writePair(directory);
    await gateway.line('listening', seen);
    assert.equal(await fetchFingerprint(port), next);
    assert.equal(gateway.lines.filter(({ event }) => event === 'certificate.notReplaced').length, 1);
  });
}

test('an expired server certificate is an error in the log, and the service goes on', async (t) => {
  const directory = createTemporaryDirectory(t);
  const certificates = new CertificateFiles(directory);
  certificates.makeSelfSigned('server', {
    extensions: EXTENSIONS.server,
    validity: ['20250101000000Z', '20250102000000Z'],
  });
  const gateway = await startGateway(t, {
    directory,
    config: { tls: { certificateFile: 'server.crt', privateKeyFile: 'server.key' } },
  });
  const line = await gateway.line('certificate.expired');
  assert.deepEqual([line.level, line['role'], line['subject']], ['error', 'server', 'CN=server']);
  assert.equal((await send({ port: gateway.httpsPorts[0] ?? 0 }, 'GET', INFO)).status, 200);
});

test('the keys of session tickets last twelve hours', needs('openssl'), async (t) => {
  const directory = createTemporaryDirectory(t);
  await writePair(directory);
  const clock = new ManualClock(Date.now());
  const logger = createMemoryLogger();
  const listeners = new ListenerSet({
    application: (_request, response) => void response.end(),
    connections: createConnectionTable(),
    drainMs: () => 0,
    inheritedSockets: new Map(),
    logger,
  });
  const settings = gatewaySettingsSchema.parse({
    dataDirectory: directory,
    http: { host: '127.0.0.1', httpsPorts: [0], httpsClientAuthPorts: [] },
    tls: {
      certificateFile: path.join(directory, 'server.crt'),
      privateKeyFile: path.join(directory, 'server.key'),
    },
  });
  const audit = { record: () => undefined };
  const network = new Network({ listeners, settings, logger, audit, clock, certificateLookIntervalMs: 1000 });
  await network.start();
  t.after(() => network.stop());
  const [port = 0] = listeners.ports('https');
  const isResumed = async (parameters: readonly string[]): Promise<boolean> =>
    (await connectWithOpenssl(port, parameters, { directory, input: REQUEST })).isResumed;
  assert.equal(await isResumed(['-sess_out', 'session.pem']), false);
  assert.equal(await isResumed(['-sess_in', 'session.pem']), true);
  clock.advance(12 * 3_600_000 - 1);
  assert.equal(await isResumed(['-sess_in', 'session.pem']), true);
  clock.advance(1);
  assert.equal(await isResumed(['-sess_in', 'session.pem']), false);
});
