import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runDaemon, startGateway } from '../support/gateway.ts';
import type { LogLine } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { EXTENSIONS } from '../support/certificate-extension.ts';
import { CertificateFiles } from '../support/certificate-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const PASSWORD = 'misconfiguration-password';
const provision = {
  identities: [{ name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD }],
  drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 1 }],
};

/** A mistake in the files, and the message that the daemon must print. */
interface Mistake {
  readonly name: string;
  /** Content by the path of the file; `undefined` creates a directory with this name. */
  readonly files: Readonly<Record<string, string | Buffer | undefined>>;
  /** Names the file, the position, the item and the remedy. */
  readonly says: readonly RegExp[];
}

/** A mistake in the main file. */
const main = (name: string, content: string | Buffer, ...says: readonly RegExp[]): Mistake => ({
  name,
  files: { 'penstock.yaml': content },
  says,
});

/** A mistake in a provision file. */
const plant = (name: string, content: string | undefined, ...says: readonly RegExp[]): Mistake => ({
  name,
  files: { 'provision.d/plant.yaml': content },
  says,
});

/** A mistake in the channels of an asset; the channels begin in line 5. */
const channels = (name: string, lines: readonly string[], ...says: readonly RegExp[]): Mistake =>
  plant(
    name,
    [
      'assets:',
      '  - pid: pump',
      '    driver: line1',
      '    channels:',
      ...lines.map((line) => `      - ${line}`),
    ].join('\n'),
    ...says,
  );

/** A mistake in the section `tls`. */
const tls = (name: string, section: object, ...says: readonly RegExp[]): Mistake =>
  main(
    name,
    JSON.stringify({ dataDirectory: 'another', http: { host: '127.0.0.1', httpsPorts: [0] }, tls: section }),
    ...says,
  );

const ADDRESS = 'address: {table: HOLDING_REGISTERS, offset: 7, dataType: INT16}';

const MISTAKES: readonly Mistake[] = [
  main('a key is indented wrongly', 'http:\n  host: "::"\n   ports: []\n', /penstock\.yaml:3: .*indentation/),
  main('a tab indents', 'http:\n\tports: []\n', /penstock\.yaml:2: .*tab; expected spaces/),
  main('a key is misspelled', 'http: { prots: [] }', /penstock\.yaml:1: http\.prots: .*did you mean "ports"/),
  main(
    'a key is nowhere known',
    'colour: red',
    /penstock\.yaml:1: colour: .*expected one of dataDirectory, log, http/,
  ),
  main(
    'a text stands for a list',
    'http:\n  ports: "80"\n',
    /penstock\.yaml:2: http\.ports: expected a list of ports/,
  ),
  main('a port is out of range', 'http: { ports: [80800] }', /:1: http\.ports\[0\]: .*from 0 to 65535/),
  main(
    'a port is used twice',
    'http:\n  ports: [80]\n  httpsPorts: [80]\n',
    /:3: http\.httpsPorts\[0\]: port 80 .*http\.ports\[0\]/,
  ),
  main('a key is given twice', 'http: {}\nhttp: {}\n', /penstock\.yaml:2: the key "http" is given twice/),
  main('a colon is missing', 'dataDirectory /srv\n', /penstock\.yaml:1: .*"key: value"/),
  main('a list stands for keys', '- http\n- log\n', /penstock\.yaml:1: .*"key: value"/),
  main(
    'a word is none of those allowed',
    'log: { level: loud }',
    /:1: log\.level: expected one of debug, info, warn, error/,
  ),
  main('JSON lacks a bracket', '{"http": {"ports": []}', /penstock\.yaml:1: .*bracket/),
  main(
    'an error is in a file of a Windows editor',
    '\uFEFFhttp:\r\n  prots: []\r\n',
    /penstock\.yaml:2: http\.prots/,
  ),
  main('the file is no text', Buffer.from([0xff, 0xfe, 0x00]), /penstock\.yaml:1: the text is not UTF-8/),
  main('the file was lost with the power', '', /penstock\.yaml:1: the file is empty.*power failure/),
  plant('a directory has the name of a file', undefined, /plant\.yaml: .*found a directory/),
  plant(
    'two assets have one pid',
    'assets:\n  - {pid: a, driver: line1}\n  - {pid: a, driver: line1}\n',
    /plant\.yaml:3: assets\[1\]\.pid: "a" is used twice/,
  ),
  plant(
    'an asset is of an unknown driver',
    'assets:\n  - pid: a\n    driver: line\n',
    /plant\.yaml:3: assets\[0\]\.driver: unknown driver "line"; did you mean "line1"/,
  ),
  plant(
    'a driver is of an unknown kind',
    'drivers: [{pid: x, type: modbuss}]',
    /plant\.yaml:1: drivers\[0\]\.type: "modbuss" .*expected one of modbus, opcua, serial/,
  ),
  plant(
    'a key of a driver is misspelled',
    'drivers: [{pid: x, type: modbus, host: h, prot: 1}]',
    /:1: drivers\[0\]\.prot: .*did you mean "port"/,
  ),
  plant(
    'a transport is unknown',
    'drivers: [{pid: x, type: modbus, transport: serial}]',
    /drivers\[0\]\.transport: expected one of tcp, .*rtu/,
  ),
  channels(
    'an address is outside of its range',
    [`{name: x, type: READ, valueType: FLOAT, ${ADDRESS.replace('7', '70000')}}`],
    /plant\.yaml:5: assets\[0\]\.channels\[0\]\.address\.offset: expected at most 65535/,
  ),
  channels(
    'two channels have one name',
    [
      `{name: x, type: READ, valueType: FLOAT, ${ADDRESS}}`,
      `{name: x, type: READ, valueType: FLOAT, ${ADDRESS}}`,
    ],
    /plant\.yaml:6: assets\[0\]\.channels\[1\]\.name: "x" is used twice/,
  ),
  channels(
    'a scale is no number',
    [`{name: x, type: READ, valueType: FLOAT, valueScale: ten, ${ADDRESS}}`],
    /:5: .*\.valueScale: expected a number, found a text/,
  ),
  channels(
    'a key of an address is misspelled',
    ['{name: x, type: READ, valueType: FLOAT, address: {ofset: 7}}'],
    /:5: .*\.address\.ofset: .*did you mean "offset"/,
    /:5: .*\.address\.table: is missing; expected one of COILS/,
  ),
  plant(
    'a password is too weak',
    'identities: [{name: scada, password: short}]',
    /plant\.yaml:1: identities\[0\]\.password: .*8/,
  ),
  plant(
    'a password is a common one',
    'identities: [{name: scada, password: PassWord}]',
    /plant\.yaml:1: identities\[0\]\.password: .*common/,
  ),
  plant(
    'a password contains the name of its identity',
    'identities: [{name: scada, password: Scada-4711-turbine}]',
    /plant\.yaml:1: identities\[0\]\.password: .*name of the identity/,
  ),
  plant(
    'a permission stands outside of a list',
    'identities: [{name: scada, permissions: rest.assets}]',
    /identities\[0\]\.permissions: expected a list, found a text/,
  ),
  tls(
    'the key is of another certificate',
    { certificateFile: 'server.crt', privateKeyFile: 'other.key' },
    /other\.key does not match .*server\.crt/,
  ),
  tls(
    'the key is missing',
    { certificateFile: 'server.crt', privateKeyFile: 'none.key' },
    /cannot read .*none\.key: no such file/,
  ),
  tls(
    'the key is open to others',
    { certificateFile: 'server.crt', privateKeyFile: 'open.key' },
    /open\.key is accessible to other users \(mode 0644, expected 0600\): run chmod 600 /,
  ),
  tls(
    'the key is not named',
    { certificateFile: 'server.crt' },
    /penstock\.yaml:1: tls\.certificateFile: .*privateKeyFile/,
  ),
  tls(
    'the authorities are none',
    { clientCertificateAuthoritiesFile: 'server.crt' },
    /server\.crt is not a CA certificate/,
  ),
  tls(
    'the authorities are no certificates',
    { clientCertificateAuthoritiesFile: 'penstock.yaml' },
    /penstock\.yaml contains no valid certificate/,
  ),
];

test('a mistake in the files is named at start and at reload, and a running gateway stays as it was', async (t) => {
  const directory = createTemporaryDirectory(t);
  const running = path.join(directory, 'running');
  const starting = path.join(directory, 'starting');
  const gateway = await startGateway(t, { directory: running, config: { provision } });
  mkdirSync(path.join(running, 'provision.d'));
  makeCertificates(running);
  const kept = path.join(directory, 'kept');
  cpSync(running, kept, { recursive: true, filter: (file) => !file.startsWith(gateway.dataDirectory) });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login('engineer', PASSWORD)).status, 200);
  const inForce = await readConfiguration();

  for (const { name, files, says } of MISTAKES) {
    await t.test(name, async () => {
      restoreFiles(running);
      restoreFiles(starting);
      for (const [file, content] of Object.entries(files)) {
        for (const place of [running, starting]) writeOrMake(path.join(place, file), content);
      }
      const [{ status, output }, line] = await Promise.all([
        runDaemon(['--config', path.join(starting, 'penstock.yaml')]),
        reload(),
      ]);
      assert.equal(status, 78, output);
      assert.equal(line.event, 'reload.failed');
      for (const words of says) {
        assert.match(output, words);
        assert.match(String(line['reason']), words);
      }
      assert.equal(await readConfiguration(), inForce);
    });
  }

  await t.test('once the files are fixed a reload takes effect', async () => {
    restoreFiles(running);
    assert.equal((await reload()).event, 'reloaded');
    assert.equal(await readConfiguration(), inForce);
    assert.equal(gateway.errors(), '');
  });

  async function reload(): Promise<LogLine> {
    const seen = gateway.lines.length;
    gateway.process.kill('SIGHUP');
    return Promise.race([gateway.line('reload.failed', seen), gateway.line('reloaded', seen)]);
  }

  async function readConfiguration(): Promise<string> {
    const { status, text, headers } = await client.send('GET', '/services/configuration/v1/');
    return `${status} ${headers.etag} ${text}`;
  }

  function restoreFiles(place: string): void {
    rmSync(path.join(place, 'provision.d'), { recursive: true, force: true });
    cpSync(kept, place, { recursive: true });
  }
});

function writeOrMake(place: string, content: string | Buffer | undefined): void {
  if (content === undefined) mkdirSync(place);
  else writeFileSync(place, content);
}

/** Creates `server`, `other` with its own key, and `open.key` that every user may read. */
function makeCertificates(directory: string): void {
  const certificates = new CertificateFiles(directory);
  certificates.makeSelfSigned('authority');
  for (const name of ['server', 'other']) {
    certificates.issue('authority', name, { extensions: EXTENSIONS.server });
    chmodSync(certificates.file(`${name}.key`), 0o600);
  }
  cpSync(certificates.file('server.key'), certificates.file('open.key'));
  chmodSync(certificates.file('open.key'), 0o644);
}
