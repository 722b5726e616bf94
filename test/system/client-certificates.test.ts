import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { loadTlsMaterial } from '../../daemon/security/certificate/tls-material.ts';
import { Listener } from '../../daemon/server/http/connection/listener.ts';
import { createConnectionTable } from '../support/connection-table.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { writeElement } from '../support/der-writer.ts';
import { send } from '../support/https-client.ts';
import type { ClientOptions } from '../support/https-client.ts';
import {
  basicConstraints,
  extendedKeyUsage,
  EXTENSIONS,
  keyUsage,
  makeExtension,
} from '../support/certificate-extension.ts';
import { CertificateFiles } from '../support/certificate-files.ts';
import { connectWithOpenssl } from '../support/openssl.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const ASSETS = '/services/assets';

// A client may refuse to send something by itself; these tests are not about that.
const ANYTHING_GOES = { ciphers: 'DEFAULT@SECLEVEL=0' };

const LEAF = basicConstraints(false);
const STALE = ['20250101000000Z', '20250102000000Z'] as const;

/** Starts a daemon that trusts `root.crt` and knows `scada` and some names that certificates could be mistaken for. */
function startWithRoot(
  t: Owner,
  certificates: CertificateFiles,
  tls: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const names = ['scada', 'admin', 'scada, admin'];
  return startGateway(t, {
    config: {
      log: { level: 'debug' },
      tls: { clientCertificateAuthoritiesFile: certificates.file('root.crt'), ...tls },
      provision: {
        identities: names.map((name) => ({ name, permissions: ['rest.assets'] })),
        rest: { statelessCertificateAuthenticationEnabled: true },
      },
    },
  });
}

function createCertificates(t: Owner): CertificateFiles {
  const certificates = new CertificateFiles(createTemporaryDirectory(t));
  certificates.makeSelfSigned('root', { subject: 'Plant' });
  return certificates;
}

/** Returns the status of a read with the pair of a name; 0: there was no answer. */
function getAssets(
  certificates: CertificateFiles,
  port: number,
  name: string,
  { version, headers }: { readonly version?: '1.2' | '1.3'; readonly headers?: Record<string, string> } = {},
): Promise<number> {
  const certificate = readFileSync(certificates.file(`${name}.crt`), 'utf8');
  const privateKey = readFileSync(certificates.file(`${name}.key`), 'utf8');
  const versions =
    version === undefined ? {} : ({ minVersion: `TLSv${version}`, maxVersion: `TLSv${version}` } as const);
  return getStatus({ port, certificate, privateKey, tls: { ...ANYTHING_GOES, ...versions } }, headers);
}

/** Returns the status of a read; 0: the connection ended without an answer. */
async function getStatus(client: ClientOptions, headers: Record<string, string> = {}): Promise<number> {
  try {
    return (await send(client, 'GET', ASSETS, { headers })).status;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A reaction of the gateway, not a refusal of the client itself.
    assert.match(`${code} ${message}`, /^(?:ECONNRESET|EPIPE|ERR_SSL_\w*ALERT)|SSL alert number/);
    return 0;
  }
}

interface Row {
  readonly what: string;
  /** 0: the handshake fails. */
  readonly status: number;
  /** Creates `client.crt` and `client.key`. */
  readonly make: (certificates: CertificateFiles) => void;
}

const issue =
  (certificate: Parameters<CertificateFiles['issue']>[2]) =>
  (certificates: CertificateFiles): void =>
    certificates.issue('root', 'client', { subject: 'scada', ...certificate });

function appendChain(certificates: CertificateFiles, ...names: readonly string[]): void {
  for (const name of names) {
    appendFileSync(certificates.file('client.crt'), readFileSync(certificates.file(`${name}.crt`)));
  }
}

const ROWS: readonly Row[] = [
  { what: 'a good one', status: 200, make: issue({}) },
  {
    what: 'a good one with an RSA key of 2048 bits',
    status: 200,
    make: issue({ key: 'rsa:2048' }),
  },
  { what: 'one without key usage', status: 200, make: issue({ extensions: [LEAF] }) },
  {
    what: 'one that an intermediate has issued, sent along',
    status: 200,
    make(certificates) {
      certificates.issue('root', 'inter', { extensions: EXTENSIONS.authority });
      certificates.issue('inter', 'client', { subject: 'scada' });
      appendChain(certificates, 'inter');
    },
  },
  {
    what: 'a chain of 20',
    status: 200,
    make(certificates) {
      const names = Array.from({ length: 19 }, (_, index) => `level${index}`);
      for (const [index, name] of names.entries()) {
        certificates.issue(names[index - 1] ?? 'root', name, { extensions: EXTENSIONS.authority });
      }
      certificates.issue('level18', 'client', { subject: 'scada' });
      appendChain(certificates, ...names.toReversed());
    },
  },
  { what: 'a common name that no identity has', status: 401, make: issue({ subject: 'scada2' }) },
  { what: 'another case', status: 401, make: issue({ subject: 'SCADA' }) },
  { what: 'no common name', status: 401, make: issue({ subject: [[['O', 'scada']]] }) },
  { what: 'an empty common name', status: 401, make: issue({ subject: '' }) },
  { what: 'two common names', status: 401, make: issue({ subject: [[['CN', 'scada']], [['CN', 'admin']]] }) },
  {
    what: 'the same common name twice',
    status: 401,
    make: issue({ subject: [[['CN', 'scada']], [['CN', 'scada']]] }),
  },
  {
    what: 'two common names in one set',
    status: 401,
    make: issue({
      subject: [
        [
          ['CN', 'admin'],
          ['CN', 'scada'],
        ],
      ],
    }),
  },
  { what: 'a common name with a comma', status: 200, make: issue({ subject: 'scada, admin' }) },
  { what: 'a comma and a name', status: 401, make: issue({ subject: 'scada,CN=admin' }) },
  {
    what: 'a common name with NUL',
    status: 401,
    make: issue({ subject: 'scada\0evil' }),
  },
  { what: 'a look-alike', status: 401, make: issue({ subject: 'sc\u0430da' }) },
  { what: 'the common name __proto__', status: 401, make: issue({ subject: '__proto__' }) },
  {
    what: 'an unknown authority',
    status: 0,
    make(certificates) {
      certificates.makeSelfSigned('stranger');
      certificates.issue('stranger', 'client', { subject: 'scada' });
    },
  },
  {
    what: 'an authority of the same name with another key',
    status: 0,
    make(certificates) {
      certificates.makeSelfSigned('twin', { subject: 'Plant' });
      certificates.issue('twin', 'client', { subject: 'scada' });
      appendChain(certificates, 'twin');
    },
  },
  {
    what: 'a self-signed one',
    status: 0,
    make: (certificates) =>
      certificates.makeSelfSigned('client', { subject: 'scada', extensions: EXTENSIONS.client }),
  },
  { what: 'an expired one', status: 0, make: issue({ validity: ['20250101000000Z', '20250102000000Z'] }) },
  { what: 'one not yet valid', status: 0, make: issue({ validity: ['20980101000000Z', '20990102000000Z'] }) },
  {
    what: 'an issuer that is no authority',
    status: 0,
    make(certificates) {
      certificates.issue('root', 'leaf');
      certificates.issue('leaf', 'client', { subject: 'scada' });
      appendChain(certificates, 'leaf');
    },
  },
  {
    what: 'a path that is too long',
    status: 0,
    make(certificates) {
      const short = [basicConstraints(true, 0), keyUsage('keyCertSign')];
      certificates.issue('root', 'upper', { extensions: short });
      certificates.issue('upper', 'lower', { extensions: EXTENSIONS.authority });
      certificates.issue('lower', 'client', { subject: 'scada' });
      appendChain(certificates, 'lower', 'upper');
    },
  },
  {
    what: 'an unknown critical extension',
    status: 0,
    make: issue({
      extensions: [...EXTENSIONS.client, makeExtension('1.3.6.1.4.1.99999.1', writeElement(0x05), true)],
    }),
  },
  { what: 'one for servers only', status: 0, make: issue({ extensions: EXTENSIONS.server }) },
  {
    what: 'one for any purpose but no client authentication',
    status: 0,
    make: issue({
      extensions: [LEAF, keyUsage('digitalSignature'), extendedKeyUsage('codeSigning')],
    }),
  },
  {
    what: 'a key that may only encipher keys',
    status: 0,
    make: issue({ extensions: [LEAF, keyUsage('keyEncipherment'), extendedKeyUsage('clientAuth')] }),
  },
  {
    // OpenSSL would let it pass.
    what: 'a key that may only agree on keys',
    status: 401,
    make: issue({ extensions: [LEAF, keyUsage('keyAgreement'), extendedKeyUsage('clientAuth')] }),
  },
  { what: 'an RSA key of 1024 bits', status: 0, make: issue({ key: 'rsa:1024' }) },
  {
    what: 'a key on P-192',
    status: 0,
    make: issue({ key: 'P-192' }),
  },
  { what: 'a signature with SHA-1', status: 0, make: issue({ digest: 'sha1' }) },
  {
    what: 'a certificate of 100 KB',
    status: 0,
    make: issue({
      extensions: [...EXTENSIONS.client, makeExtension('1.3.6.1.4.1.99999.2', Buffer.alloc(100 * 1024, 'x'))],
    }),
  },
];

describe('a client certificate at the handshake', () => {
  const undo: (() => void | Promise<void>)[] = [];
  const owner: Owner = { after: (cleanUp) => void undo.push(cleanUp) };
  let certificates: CertificateFiles;
  let gateway: RunningGateway;
  let port = 0;

  before(async () => {
    certificates = createCertificates(owner);
    certificates.issue('root', 'scada');
    gateway = await startWithRoot(owner, certificates);
    port = gateway.clientAuthPorts[0] ?? 0;
  });
  after(async () => {
    for (const cleanUp of undo.toReversed()) await cleanUp();
  });

  for (const { what, status, make } of ROWS) {
    for (const version of ['1.2', '1.3'] as const) {
      test(`${what}: ${status === 0 ? 'no connection' : status} with TLS ${version}`, async (t) => {
        const own = new CertificateFiles(createTemporaryDirectory(t));
        for (const ending of ['crt', 'key']) {
          copyFileSync(certificates.file(`root.${ending}`), own.file(`root.${ending}`));
        }
        make(own);
        assert.equal(await getAssets(own, port, 'client', { version }), status);
        // Whatever came, the port answers the next client.
        assert.equal(await getAssets(certificates, port, 'scada'), 200);
      });
    }
  }

  test('a client without a certificate gets no connection', async () => {
    assert.equal(await getStatus({ port }), 0);
  });

  test('a good certificate means nothing on a port without client authentication', async () => {
    const [httpsPort = 0] = gateway.httpsPorts;
    assert.equal(await getAssets(certificates, httpsPort, 'scada'), 401);
  });

  test('headers in which a proxy would tell of a certificate mean nothing', async () => {
    const [httpsPort = 0] = gateway.httpsPorts;
    const pem = readFileSync(certificates.file('scada.crt'), 'utf8');
    const base64 = pem.replaceAll(/-----[^-]+-----|\n/g, '');
    const headers = {
      'X-SSL-Client-Verify': 'SUCCESS',
      'X-SSL-Client-S-DN': 'CN=scada',
      'X-SSL-Client-CN': 'scada',
      'X-SSL-Client-Cert': encodeURIComponent(pem),
      'Client-Cert': `:${base64}:`,
      'X-Forwarded-Client-Cert': `Subject="CN=scada";Cert="${encodeURIComponent(pem)}"`,
    };
    assert.equal((await send({ port: httpsPort }, 'GET', ASSETS, { headers })).status, 401);
    certificates.issue('root', 'nobody');
    assert.equal(await getAssets(certificates, port, 'nobody', { headers }), 401);
  });
});

test('a refused certificate is in the log with the reason', async (t) => {
  const certificates = createCertificates(t);
  certificates.makeSelfSigned('client', { subject: 'scada', extensions: EXTENSIONS.client });
  const gateway = await startWithRoot(t, certificates);
  const [port = 0] = gateway.clientAuthPorts;
  assert.equal(await getAssets(certificates, port, 'client'), 0);
  const line = await gateway.line('clientCertificate.refused');
  assert.deepEqual([line['port'], line['reason']], [port, 'DEPTH_ZERO_SELF_SIGNED_CERT']);
});

test('a refused certificate is in the log with its subject, issuer, cause and remedy', async (t) => {
  const certificates = createCertificates(t);
  certificates.makeSelfSigned('other', { subject: 'Office' });
  certificates.makeSelfSigned('second', { subject: 'Second plant' });
  certificates.issue('other', 'foreign', { subject: 'laptop' });
  certificates.issue('second', 'uncovered', { subject: 'panel' });
  certificates.issue('root', 'revoked', { subject: 'lost' });
  certificates.revoke('root', 'revoked');
  certificates.makeRevocationList('root', 'root.crl');
  const both = ['root.crt', 'second.crt'].map((name) => readFileSync(certificates.file(name), 'utf8'));
  writeFileSync(certificates.file('both.crt'), both.join(''));
  const gateway = await startWithRoot(t, certificates, {
    clientCertificateAuthoritiesFile: certificates.file('both.crt'),
    certificateRevocationListFile: certificates.file('root.crl'),
  });
  const [port = 0] = gateway.clientAuthPorts;
  const cases = [
    [
      'foreign',
      'CN=laptop',
      'CN=Office',
      /issued by an untrusted authority/,
      /clientCertificateAuthoritiesFile/,
    ],
    [
      'uncovered',
      'CN=panel',
      'CN=Second plant',
      /no revocation list covers this issuer/,
      /certificateRevocationListFile/,
    ],
    ['revoked', 'CN=lost', 'CN=Plant', /^revoked$/, /a new certificate/],
  ] as const;
  for (const version of ['1.2', '1.3'] as const) {
    for (const [name, subject, issuer, cause, advice] of cases) {
      const seen = gateway.lines.length;
      assert.equal(await getAssets(certificates, port, name, { version }), 0);
      const line = await gateway.line('clientCertificate.refused', seen);
      assert.deepEqual([line['subject'], line['issuer']], [subject, issuer]);
      assert.match(String(line['cause']), cause);
      assert.match(String(line['advice']), advice);
    }
  }
});

/** Reads the pair of a certificate and keeps its connections open. */
function connectAs(t: Owner, certificates: CertificateFiles, name: string, port: number, isKept = true) {
  const agent = new Agent({ keepAlive: isKept, maxSockets: 1, maxCachedSessions: 0 });
  t.after(() => agent.destroy());
  const certificate = readFileSync(certificates.file(`${name}.crt`), 'utf8');
  const privateKey = readFileSync(certificates.file(`${name}.key`), 'utf8');
  return async (): Promise<number> =>
    (await send({ port, certificate, privateKey, agent }, 'GET', ASSETS)).status;
}

async function hangUp(gateway: RunningGateway): Promise<void> {
  const seen = gateway.lines.length;
  gateway.process.kill('SIGHUP');
  await gateway.line('reloaded', seen);
}

test('a revoked certificate is refused at the next request of an open connection, and at the next handshake', async (t) => {
  const certificates = createCertificates(t);
  certificates.issue('root', 'scada');
  certificates.issue('root', 'other', { subject: 'admin' });
  certificates.makeRevocationList('root', 'root.crl');
  const gateway = await startWithRoot(t, certificates, {
    certificateRevocationListFile: certificates.file('root.crl'),
  });
  const [port = 0] = gateway.clientAuthPorts;
  const revoked = connectAs(t, certificates, 'scada', port);
  const other = connectAs(t, certificates, 'other', port);
  assert.deepEqual([await revoked(), await other()], [200, 200]);
  certificates.revoke('root', 'scada');
  certificates.makeRevocationList('root', 'root.crl');
  await hangUp(gateway);
  assert.deepEqual([await revoked(), await other()], [401, 200]);
  assert.equal(await getAssets(certificates, port, 'scada'), 0);
  assert.equal(await getAssets(certificates, port, 'other'), 200);
});

test('a revocation list that is replaced on the disk acts without a signal', async (t) => {
  const certificates = createCertificates(t);
  certificates.issue('root', 'scada');
  certificates.makeRevocationList('root', 'root.crl');
  const gateway = await startWithRoot(t, certificates, {
    certificateRevocationListFile: certificates.file('root.crl'),
  });
  const [port = 0] = gateway.clientAuthPorts;
  const client = connectAs(t, certificates, 'scada', port);
  assert.equal(await client(), 200);
  certificates.revoke('root', 'scada');
  const seen = gateway.lines.length;
  certificates.makeRevocationList('root', 'root.crl');
  await gateway.line('listening', seen);
  assert.equal(await client(), 401);
});

test('an authority that is no longer trusted takes its clients along, open connections included', async (t) => {
  const certificates = createCertificates(t);
  certificates.makeSelfSigned('second', { subject: 'Second' });
  certificates.issue('root', 'scada');
  certificates.issue('second', 'other', { subject: 'admin' });
  const file = certificates.file('both.crt');
  const both = ['root', 'second'].map((name) => readFileSync(certificates.file(`${name}.crt`), 'utf8'));
  writeFileSync(file, both.join(''));
  const gateway = await startWithRoot(t, certificates, { clientCertificateAuthoritiesFile: file });
  const [port = 0] = gateway.clientAuthPorts;
  const dropped = connectAs(t, certificates, 'scada', port);
  const kept = connectAs(t, certificates, 'other', port);
  assert.deepEqual([await dropped(), await kept()], [200, 200]);
  copyFileSync(certificates.file('second.crt'), file);
  await hangUp(gateway);
  assert.deepEqual([await dropped(), await kept()], [401, 200]);
});

for (const [what, prepare, reason] of [
  [
    'has run out',
    (certificates: CertificateFiles) => certificates.makeRevocationList('root', 'list.crl', STALE),
    'REVOCATION_LIST_STALE',
  ],
  [
    'is missing for the authority',
    (certificates: CertificateFiles) => {
      certificates.makeSelfSigned('stranger');
      certificates.makeRevocationList('stranger', 'list.crl');
    },
    'NO_REVOCATION_LIST',
  ],
] as const) {
  test(`clients are refused while a list ${what}, and the log reports it`, async (t) => {
    const certificates = createCertificates(t);
    certificates.issue('root', 'scada');
    prepare(certificates);
    const gateway = await startWithRoot(t, certificates, {
      certificateRevocationListFile: certificates.file('list.crl'),
    });
    const line = await gateway.line('clientAuthority.refused');
    assert.deepEqual([line.level, line['subject'], line['reason']], ['error', 'CN=Plant', reason]);
    const [port = 0] = gateway.clientAuthPorts;
    assert.equal(await getAssets(certificates, port, 'scada'), 0);
    certificates.makeRevocationList('root', 'list.crl');
    await hangUp(gateway);
    assert.equal(await getAssets(certificates, port, 'scada'), 200);
  });
}

test('a list that another key has signed leaves the previous one in force', async (t) => {
  const certificates = createCertificates(t);
  certificates.makeSelfSigned('twin', { subject: 'Plant' });
  certificates.issue('root', 'scada');
  certificates.makeRevocationList('root', 'root.crl');
  const gateway = await startWithRoot(t, certificates, {
    certificateRevocationListFile: certificates.file('root.crl'),
  });
  const seen = gateway.lines.length;
  certificates.makeRevocationList('twin', 'root.crl');
  gateway.process.kill('SIGHUP');
  const line = await gateway.line('reload.failed', seen);
  assert.match(String(line['reason']), /root\.crl/);
  assert.equal(await getAssets(certificates, gateway.clientAuthPorts[0] ?? 0, 'scada'), 200);
});

for (const [version, option] of [
  ['1.2', '-tls1_2'],
  ['1.3', '-tls1_3'],
] as const) {
  test(
    `a session of TLS ${version} is resumed on its port, and no longer after a reload or on another port`,
    needs('openssl'),
    async (t) => {
      const certificates = createCertificates(t);
      certificates.issue('root', 'scada');
      certificates.makeRevocationList('root', 'root.crl');
      const tls = {
        clientCertificateAuthoritiesFile: certificates.file('root.crt'),
        certificateRevocationListFile: certificates.file('root.crl'),
      };
      const gateway = await startGateway(t, {
        config: {
          http: { httpsClientAuthPorts: [0, 0] },
          tls,
          provision: {
            identities: [{ name: 'scada', permissions: ['rest.assets'] }],
            rest: { statelessCertificateAuthenticationEnabled: true },
          },
        },
      });
      const [first = 0, second = 0] = gateway.clientAuthPorts;
      const [plain = 0] = gateway.httpsPorts;
      const connect = (port: number, parameters: readonly string[]) =>
        connectWithOpenssl(port, [option, '-cert', 'scada.crt', '-key', 'scada.key', ...parameters], {
          directory: certificates.directory,
          input: `GET ${ASSETS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        });
      const connectTo = async (port: number, parameters: readonly string[]) => {
        const { isResumed, status } = await connect(port, parameters);
        return [isResumed, status];
      };
      assert.deepEqual(await connectTo(first, ['-sess_out', 'session.pem']), [false, 200]);
      assert.deepEqual(await connectTo(first, ['-sess_in', 'session.pem']), [true, 200]);
      assert.deepEqual(await connectTo(second, ['-sess_in', 'session.pem']), [false, 200]);
      assert.deepEqual(await connectTo(plain, ['-sess_in', 'session.pem']), [false, 401]);
      await hangUp(gateway);
      assert.deepEqual(await connectTo(first, ['-sess_in', 'session.pem', '-sess_out', 'next.pem']), [
        false,
        200,
      ]);
      assert.deepEqual(await connectTo(first, ['-sess_in', 'next.pem']), [true, 200]);
      certificates.revoke('root', 'scada');
      certificates.makeRevocationList('root', 'root.crl');
      await hangUp(gateway);
      assert.deepEqual(await connectTo(first, ['-sess_in', 'next.pem']), [false, undefined]);
    },
  );
}

test(
  'the commands of docs/how-to/certificates.md lead to certificates that the gateway takes, and to a revoked one',
  needs('openssl'),
  async (t) => {
    const directory = createTemporaryDirectory(t);
    const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/how-to/certificates.md'), 'utf8');
    const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)]
      .map((match) => match[1] ?? '')
      .filter((block) => /^(?:cat|openssl (?:req|ca)) /.test(block));
    const revoking = blocks.findIndex((block) => block.includes('-revoke'));
    const run = (commands: readonly string[]): void => {
      execFileSync('bash', ['-e', '-c', commands.join('')], { cwd: directory, stdio: 'pipe' });
    };
    run(blocks.slice(0, revoking));
    const gateway = await startGateway(t, {
      config: {
        tls: {
          certificateFile: path.join(directory, 'server.crt'),
          privateKeyFile: path.join(directory, 'server.key'),
          clientCertificateAuthoritiesFile: path.join(directory, 'ca.crt'),
          certificateRevocationListFile: path.join(directory, 'ca.crl'),
        },
        provision: {
          identities: [{ name: 'scada', permissions: ['rest.assets'] }],
          rest: { statelessCertificateAuthenticationEnabled: true },
        },
      },
    });
    const [port = 0] = gateway.clientAuthPorts;
    const get = async (): Promise<number> => {
      const [ca, certificate, privateKey] = ['ca.crt', 'scada.crt', 'scada.key'].map((name) =>
        readFileSync(path.join(directory, name), 'utf8'),
      );
      return getStatus({ port, ca, certificate, privateKey, serverName: 'gateway.plant.example' });
    };
    assert.equal(await get(), 200);
    run(blocks.slice(revoking));
    await hangUp(gateway);
    assert.equal(await get(), 0);
  },
);

test('a certificate that expires while its connection is open counts as none from then on', async (t) => {
  const certificates = new CertificateFiles(createTemporaryDirectory(t));
  certificates.makeSelfSigned('root', {
    subject: 'Plant',
    // Longer than the client, whose time is looked at here.
    validity: ['20250101000000Z', '20980101000000Z'],
  });
  const authority = certificates.file('root.crt');
  certificates.issue('root', 'server', { extensions: EXTENSIONS.server });
  certificates.issue('root', 'scada');
  const tls = await loadTlsMaterial({
    certificateFile: certificates.file('server.crt'),
    privateKeyFile: certificates.file('server.key'),
    isOwnCertificate: false,
    clientCertificateAuthoritiesFile: authority,
    certificateRevocationListFile: null,
  });
  const { validFromDate, validToDate } = new X509Certificate(readFileSync(certificates.file('scada.crt')));
  const moments = [
    validFromDate.getTime() - 1,
    validFromDate.getTime(),
    validToDate.getTime(),
    validToDate.getTime() + 1,
  ];
  const found: unknown[] = [];
  const listener = new Listener({
    kind: 'https-client-auth',
    host: '127.0.0.1',
    port: 0,
    tls,
    drainMs: 0,
    connections: createConnectionTable(),
    application(_request, response, { connection }) {
      for (const nowMs of moments) found.push(connection.findCertificate(nowMs)?.commonNames);
      response.end();
    },
  });
  await listener.start();
  t.after(() => listener.stop());
  await connectAs(t, certificates, 'scada', listener.port, false)();
  assert.deepEqual(found, [undefined, ['scada'], ['scada'], undefined]);
});

test('a client whose intermediate is not in the file connects again after a change of the lists', async (t) => {
  const certificates = createCertificates(t);
  certificates.issue('root', 'inter', { extensions: EXTENSIONS.authority });
  certificates.issue('inter', 'client', { subject: 'scada' });
  appendChain(certificates, 'inter');
  const gateway = await startWithRoot(t, certificates);
  const [port = 0] = gateway.clientAuthPorts;
  const open = connectAs(t, certificates, 'client', port);
  assert.equal(await open(), 200);
  await hangUp(gateway);
  assert.equal(await open(), 401);
  assert.equal(await connectAs(t, certificates, 'client', port)(), 200);
});
