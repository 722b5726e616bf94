import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from '../../../daemon/base/schema.ts';
import { gatewaySettingsSchema } from '../../../daemon/settings/gateway-settings.ts';
import { SettingsError } from '../../../daemon/settings/settings-error.ts';
import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { makeWaitingPipe } from '../../support/waiting-pipe.ts';

function writeConfiguration(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = createTemporaryDirectory(t);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), content);
  }
  return path.join(directory, 'penstock.yaml');
}

async function refusalOf(file: string): Promise<SettingsError> {
  try {
    await loadSettingsFile(file);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error;
  }
  return assert.fail('the configuration was accepted');
}

const NO_SYSLOG = {
  host: null,
  port: 6514,
  certificateAuthoritiesFile: null,
  certificateFile: null,
  privateKeyFile: null,
};

test('a file without settings has every default', async (t) => {
  const file = writeConfiguration(t, { 'penstock.yaml': '# nothing is set\n' });
  const { settings, provisionSources } = await loadSettingsFile(file);
  assert.deepEqual(settings, {
    configurationDirectory: path.dirname(file),
    dataDirectory: '/var/lib/penstock',
    log: { level: 'info' },
    http: {
      host: '::',
      ports: [],
      httpsPorts: [443],
      httpsClientAuthPorts: [4443],
      trustedProxies: [],
      names: [],
      strictTransportSecuritySeconds: 0,
      writeDeadlineMs: 60_000,
    },
    tls: {
      certificateFile: null,
      privateKeyFile: null,
      clientCertificateAuthoritiesFile: null,
      certificateRevocationListFile: null,
    },
    metrics: { port: null, host: '127.0.0.1' },
    console: { enabled: true },
    deployment: {
      marketplaceUrl: 'https://marketplace.eclipse.org',
      maximumPackageBytes: 67_108_864,
      maximumBundleDataBytes: 67_108_864,
      maximumBundleDataEntries: 10_000,
      fileSourceDirectories: ['/srv', '/tmp'],
      signaturePolicy: 'off',
      trustedSignersFile: null,
    },
    audit: { journal: false, maximumEvents: 100_000, syslog: NO_SYSLOG },
    shutdownTimeoutSeconds: 20,
  });
  assert.deepEqual(provisionSources, []);
});

test('a file with every key sets every value', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml': `
dataDirectory: /srv/penstock
log: { level: debug }
http:
  host: 192.0.2.1
  ports: [80]
  httpsPorts: [443, 8443]
  httpsClientAuthPorts: []
  trustedProxies: [192.0.2.2, 2001:db8::/32]
  names: [gateway.example]
  strictTransportSecuritySeconds: 3600
  writeDeadlineMs: 5000
tls:
  certificateFile: /t/server.crt
  privateKeyFile: /t/server.key
  clientCertificateAuthoritiesFile: /t/ca.pem
  certificateRevocationListFile: /t/crl.pem
metrics: { port: 9464, host: "::1" }
console: { enabled: false }
deployment: { marketplaceUrl: "https://market.example/base", maximumPackageBytes: 1024, trustedSignersFile: /t/signers.pem }
shutdownTimeoutSeconds: 5
`,
  });
  assert.deepEqual((await loadSettingsFile(file)).settings, {
    configurationDirectory: path.dirname(file),
    dataDirectory: '/srv/penstock',
    log: { level: 'debug' },
    http: {
      host: '192.0.2.1',
      ports: [80],
      httpsPorts: [443, 8443],
      httpsClientAuthPorts: [],
      trustedProxies: ['192.0.2.2', '2001:db8::/32'],
      names: ['gateway.example'],
      strictTransportSecuritySeconds: 3600,
      writeDeadlineMs: 5000,
    },
    tls: {
      certificateFile: '/t/server.crt',
      privateKeyFile: '/t/server.key',
      clientCertificateAuthoritiesFile: '/t/ca.pem',
      certificateRevocationListFile: '/t/crl.pem',
    },
    metrics: { port: 9464, host: '::1' },
    console: { enabled: false },
    deployment: {
      marketplaceUrl: 'https://market.example/base',
      maximumPackageBytes: 1024,
      maximumBundleDataBytes: 67_108_864,
      maximumBundleDataEntries: 10_000,
      fileSourceDirectories: ['/srv', '/tmp'],
      signaturePolicy: 'off',
      trustedSignersFile: '/t/signers.pem',
    },
    audit: { journal: false, maximumEvents: 100_000, syslog: NO_SYSLOG },
    shutdownTimeoutSeconds: 5,
  });
});

test('every key of the schema has a description', () => {
  const { properties = {} } = z.toJSONSchema(gatewaySettingsSchema, { io: 'input' });
  const leaves = Object.entries(properties).flatMap(([key, value]) => {
    const inner = typeof value === 'object' ? value.properties : undefined;
    return inner === undefined ? [[key, value] as const] : Object.entries(inner);
  });
  const silent = leaves.filter(([, leaf]) => typeof leaf !== 'object' || leaf.description === undefined);
  assert.deepEqual(
    silent.map(([key]) => key),
    [],
  );
});

test('a file without a single character is refused: power was lost while it was saved', async (t) => {
  const { faults } = await refusalOf(
    writeConfiguration(t, { 'penstock.yaml': '', 'provision.d/a.yaml': '' }),
  );
  assert.deepEqual(
    faults.map(({ file, line }) => [path.basename(file), line]),
    [
      ['penstock.yaml', 1],
      ['a.yaml', 1],
    ],
  );
});

test('a section without content counts as absent', async (t) => {
  const { settings } = await loadSettingsFile(
    writeConfiguration(t, { 'penstock.yaml': 'http:\nlog:\nprovision:\n' }),
  );
  assert.deepEqual(settings.http.httpsPorts, [443]);
});

test('relative paths start from the directory of the file', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml': 'dataDirectory: state\ntls: {certificateFile: a.crt, privateKeyFile: /k/a.key}\n',
  });
  const { settings } = await loadSettingsFile(path.relative(process.cwd(), file));
  assert.equal(settings.dataDirectory, path.join(path.dirname(file), 'state'));
  assert.equal(settings.tls.certificateFile, path.join(path.dirname(file), 'a.crt'));
  assert.equal(settings.tls.privateKeyFile, '/k/a.key');
});

test('port 0 may be asked for more than once', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml':
      'http: {ports: [0, 0], httpsPorts: [0], httpsClientAuthPorts: [0]}\nmetrics: {port: 0}\n',
  });
  const { settings } = await loadSettingsFile(file);
  assert.deepEqual(settings.http.ports, [0, 0]);
});

/** Every key with a wrong value on its own line: the line and the key that the error has to name. */
const FAULTS: readonly (readonly [text: string, line: number, key: string])[] = [
  ['dataDirectory: 5', 1, 'dataDirectory'],
  ['dataDirectory: ""', 1, 'dataDirectory'],
  ['log:\n  level: chatty', 2, 'log.level'],
  ['log: loud', 1, 'log'],
  ['http:\n  host: "a b"', 2, 'http.host'],
  ['http:\n  ports: 80', 2, 'http.ports'],
  ['http:\n  ports:\n    - 80\n    - "81"', 4, 'http.ports[1]'],
  ['http:\n  httpsPorts:\n    - 70000', 3, 'http.httpsPorts[0]'],
  ['http:\n  httpsPorts: [-1]', 2, 'http.httpsPorts[0]'],
  ['http:\n  httpsPorts: [1.5]', 2, 'http.httpsPorts[0]'],
  ['http:\n  httpsClientAuthPorts:\n    - x', 3, 'http.httpsClientAuthPorts[0]'],
  ['http:\n  httpsClientAuthPorts:\n    - 443', 3, 'http.httpsClientAuthPorts[0]'],
  ['http:\n  ports: [80, 80]', 2, 'http.ports[1]'],
  ['http:\n  trustedProxies:\n    - 10.0.0.0/33', 3, 'http.trustedProxies[0]'],
  ['http:\n  strictTransportSecuritySeconds: yes', 2, 'http.strictTransportSecuritySeconds'],
  ['http:\n  writeDeadlineMs: 10', 2, 'http.writeDeadlineMs'],
  ['http:\n  trustedProxies: [proxy.local]', 2, 'http.trustedProxies[0]'],
  ['tls:\n  certificateFile: 1\n  privateKeyFile: a', 2, 'tls.certificateFile'],
  ['tls:\n  certificateFile: a', 2, 'tls.certificateFile'],
  ['tls:\n  certificateFile: a\n  privateKeyFile: []', 3, 'tls.privateKeyFile'],
  ['tls:\n  privateKeyFile: a', 2, 'tls.privateKeyFile'],
  ['tls:\n  clientCertificateAuthoritiesFile: true', 2, 'tls.clientCertificateAuthoritiesFile'],
  ['tls:\n  certificateRevocationListFile: ""', 2, 'tls.certificateRevocationListFile'],
  ['metrics:\n  port: http', 2, 'metrics.port'],
  ['metrics:\n  port: 443', 2, 'metrics.port'],
  ['metrics:\n  host: ""', 2, 'metrics.host'],
  ['deployment:\n  marketplaceUrl: ftp://x', 2, 'deployment.marketplaceUrl'],
  ['deployment:\n  marketplaceUrl: https://a:b@x', 2, 'deployment.marketplaceUrl'],
  ['deployment:\n  maximumPackageBytes: 0', 2, 'deployment.maximumPackageBytes'],
  ['audit:\n  syslog: { host: "a b" }', 2, 'audit.syslog.host'],
  ['audit:\n  syslog: { privateKeyFile: x }', 2, 'audit.syslog.privateKeyFile'],
  ['shutdownTimeoutSeconds: soon', 1, 'shutdownTimeoutSeconds'],
  ['\n- a list', 2, '(document)'],
];
for (const [text, line, key] of FAULTS) {
  test(`the error of ${JSON.stringify(text)} names file, line and key`, async (t) => {
    const file = writeConfiguration(t, { 'penstock.yaml': `${text}\n` });
    const error = await refusalOf(file);
    assert.equal(error.code, 'SETTINGS_INVALID');
    assert.deepEqual(
      error.faults.map((fault) => ({ file: fault.file, line: fault.line, key: fault.key })),
      [{ file, line, key }],
    );
    assert.ok(error.detail.startsWith(`${file}:${line}: ${key}: expected`) || /already/.test(error.detail));
  });
}

test('an unknown key is reported with the nearest known key', async (t) => {
  const error = await refusalOf(writeConfiguration(t, { 'penstock.yaml': 'http:\n  httpsPort: [443]\n' }));
  assert.match(error.detail, /:2: http\.httpsPort: is not a known key; did you mean "httpsPorts"\?$/);
});

test('an unknown key that resembles none is reported with the known keys', async (t) => {
  const error = await refusalOf(writeConfiguration(t, { 'penstock.yaml': 'metrics: {enabled: true}\n' }));
  assert.match(error.detail, /metrics\.enabled: is not a known key; expected one of port, host$/);
});

test('all errors of all files are reported at once', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml': 'log: {level: x}\nhttp: {ports: [x]}\nfoo: 1\n',
    'provision.d/a.yaml': 'rest: {\n',
    'provision.d/b.yaml': 'a: 1\na: 2\n',
  });
  const { faults } = await refusalOf(file);
  assert.deepEqual(
    faults.map((fault) => `${path.basename(fault.file)}:${fault.line}`),
    ['penstock.yaml:1', 'penstock.yaml:2', 'penstock.yaml:3', 'a.yaml:2', 'b.yaml:2'],
  );
});

test('no error shows a value', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml':
      'password: canary-1\nlog: {level: canary-2}\nhttp: {host: "canary 3", ports: [canary-4]}\n',
  });
  assert.doesNotMatch((await refusalOf(file)).detail, /canary/);
});

test('provision sources are the inline section and then the files of provision.d in the order of their names', async (t) => {
  const file = writeConfiguration(t, {
    'penstock.yaml': 'log: {level: warn}\nprovision:\n  rest:\n    basicAuthenticationEnabled: true\n',
    'provision.d/20-b.yaml': 'assets: []\n',
    'provision.d/10-a.yaml': '\n\ndrivers:\n  - pid: line1\n',
    'provision.d/.hidden.yaml': 'x: [',
    'provision.d/notes.txt': 'x: [',
    'provision.d/30-empty.yaml': '# nothing\n',
  });
  const { provisionSources } = await loadSettingsFile(file);
  assert.deepEqual(
    provisionSources.map(({ name, value }) => ({ name, value })),
    [
      { name: 'provision', value: { rest: { basicAuthenticationEnabled: true } } },
      { name: 'provision.d/10-a.yaml', value: { drivers: [{ pid: 'line1' }] } },
      { name: 'provision.d/20-b.yaml', value: { assets: [] } },
      { name: 'provision.d/30-empty.yaml', value: {} },
    ],
  );
  assert.deepEqual(
    provisionSources[0]?.locate({ path: ['rest', 'basicAuthenticationEnabled'], message: 'm' }),
    { file, line: 4, key: 'provision.rest.basicAuthenticationEnabled', message: 'm' },
  );
  assert.deepEqual(provisionSources[1]?.locate({ path: ['drivers', 0, 'type'], message: 'm' }), {
    file: path.join(path.dirname(file), 'provision.d/10-a.yaml'),
    line: 4,
    key: 'drivers[0].type',
    message: 'm',
  });
});

test('a file that is missing, is a directory or may not be read is reported as unreadable', async (t) => {
  const directory = createTemporaryDirectory(t);
  const secret = path.join(directory, 'secret.yaml');
  writeFileSync(secret, 'log: {}');
  chmodSync(secret, 0);
  const unreadable = [path.join(directory, 'absent.yaml'), directory];
  // The superuser reads everything.
  if (process.getuid?.() !== 0) unreadable.push(secret);
  for (const file of unreadable) {
    const error = await refusalOf(file);
    assert.equal(error.code, 'SETTINGS_UNREADABLE');
    assert.equal(error.faults[0]?.file, file);
  }
});

test('a file of more than 16 MiB is refused', async (t) => {
  const file = writeConfiguration(t, { 'penstock.yaml': '#'.repeat(16 * 1024 * 1024 + 1) });
  assert.equal((await refusalOf(file)).code, 'SETTINGS_INVALID');
});

test('a pipe among the files of the configuration is refused by name, without being opened', async (t) => {
  const file = writeConfiguration(t, { 'penstock.yaml': '# nothing', 'provision.d/a.yaml': '# nothing' });
  const pipe = await makeWaitingPipe(t, path.join(path.dirname(file), 'provision.d'), 'b.yaml');
  const [fault, ...others] = (await refusalOf(file)).faults;
  assert.deepEqual(others, []);
  assert.equal(fault?.file, pipe.file);
  assert.match(fault?.message ?? '', /found a pipe, a socket or a device/);
  assert.equal(await pipe.takeText(), 'text');
});
