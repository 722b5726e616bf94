import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { z } from '../../../daemon/base/schema.ts';
import type { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../support/certificate-authority.ts';
import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import {
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { PYMODBUS_SERVERS, startPymodbusServer } from '../../support/pymodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import type { Tool } from '../../support/tools.ts';
import { writeValues } from '../../support/write-values.ts';

type Settings = z.input<typeof configSchema>;

/** Creates a real counterpart and returns the settings that reach it; the test context disposes of it. */
type Counterpart = (t: TestContext) => Promise<Settings>;

async function startRtu(t: TestContext, baudRate: number): Promise<Settings> {
  const pair = await openSerialPair();
  const server = await startLibmodbusLine(pair.instrument, { baudRate });
  t.after(async () => {
    await server.close();
    await pair[Symbol.asyncDispose]();
  });
  return { transport: 'rtu', device: pair.gateway, baudRate, parity: 'none' };
}

async function startAscii(t: TestContext, start = startPymodbusServer): Promise<Settings> {
  const pair = await openSerialPair();
  const server = await start('ascii', pair.instrument);
  t.after(async () => {
    await server.close();
    await pair[Symbol.asyncDispose]();
  });
  return { transport: 'ascii', device: pair.gateway, dataBits: 8, parity: 'none' };
}

async function startRtuOverTcp(t: TestContext, start = startPymodbusServer): Promise<Settings> {
  const server = await start('rtu-over-tcp');
  t.after(() => server.close());
  return { transport: 'rtu-over-tcp', host: '127.0.0.1', port: server.port };
}

async function startUdp(t: TestContext, start = startPymodbusServer): Promise<Settings> {
  const server = await start('udp');
  t.after(() => server.close());
  return { transport: 'udp', host: '127.0.0.1', port: server.port };
}

interface TlsFiles {
  readonly authority: string;
  readonly server: readonly [certificate: string, key: string];
  readonly client: readonly [certificate: string, key: string];
}

async function writeTlsFiles(t: TestContext): Promise<TlsFiles> {
  const directory = createTemporaryDirectory(t);
  const write = (name: string, text: string): string => {
    const file = path.join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  const authority = await getCertificateAuthority();
  const server = await getServerCertificate();
  const client = await getClientCertificate('gateway');
  return {
    authority: write('ca.pem', authority.certificate),
    server: [write('server.pem', server.certificate), write('server.key', server.privateKey)],
    client: [write('client.pem', client.certificate), write('client.key', client.privateKey)],
  };
}

async function startTls(t: TestContext, start = startPymodbusServer): Promise<Settings> {
  const { authority, server: files, client } = await writeTlsFiles(t);
  const server = await start('tls', ...files, authority);
  t.after(() => server.close());
  return {
    transport: 'tcp-tls',
    host: '127.0.0.1',
    port: server.port,
    certificateAuthoritiesFile: authority,
    certificateFile: client[0],
    privateKeyFile: client[1],
  };
}

const COUNTERPARTS: readonly (readonly [name: string, start: Counterpart, tools: readonly Tool[]])[] = [
  ['libmodbus in RTU mode at 9600', (t) => startRtu(t, 9600), ['libmodbus', 'socat']],
  ['libmodbus in RTU mode at 115200', (t) => startRtu(t, 115_200), ['libmodbus', 'socat']],
  ...PYMODBUS_SERVERS.flatMap(([name, start]): typeof COUNTERPARTS => [
    [`${name} in ASCII mode`, (t) => startAscii(t, start), [name, 'socat']],
    [`${name} with RTU over TCP`, (t) => startRtuOverTcp(t, start), [name]],
    [`${name} over UDP`, (t) => startUdp(t, start), [name]],
    [`${name} over TLS`, (t) => startTls(t, start), [name]],
  ]),
];

for (const [name, start, tools] of COUNTERPARTS) {
  test(`against ${name} every table is read, and written values read back`, needs(...tools), async (t) => {
    const settings = await start(t);
    await using underTest = await connectDriverTo(settings);
    const { driver } = underTest;
    const channels = [
      createChannel({ table: 'COILS', offset: 21 }, 'BOOLEAN'),
      createChannel({ table: 'DISCRETE_INPUTS', offset: 22 }, 'BOOLEAN'),
      createChannel({ table: 'INPUT_REGISTERS', offset: 23 }),
      ...createRegisterChannels(100, 125),
    ];
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      [true, false, 23, ...Array.from({ length: 125 }, (_, index) => 100 + index)],
    );
    const written = [
      { channel: createChannel({ table: 'COILS', offset: 300 }, 'BOOLEAN'), value: true },
      { channel: createChannel({ offset: 300 }), value: 4711 },
      { channel: createChannel({ offset: 302, dataType: 'FLOAT64' }, 'DOUBLE'), value: -0.1 },
    ];
    const outcomes = await writeValues(driver, written, noDeadline());
    assert.ok(outcomes.every(({ failure }) => failure === undefined));
    const back = await driver.prepareRead(written.map(({ channel }) => channel)).read(noDeadline());
    assert.deepEqual(
      back.map(({ value }) => value),
      [true, 4711, -0.1],
    );
  });
}

test(
  'against libmodbus in RTU mode a register that the device does not have fails alone',
  needs('libmodbus', 'socat'),
  async (t) => {
    await using underTest = await connectDriverTo(await startRtu(t, 115_200));
    const readings = await underTest.driver.prepareRead(createRegisterChannels(59_999, 2)).read(noDeadline());
    assert.equal(readings[0]?.value, 59_999);
    assert.equal(readings[1]?.failure?.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
  },
);

type Refusal = readonly [change: (files: TlsFiles) => Partial<Settings>, reason: RegExp];

const REFUSED: Readonly<Record<string, Refusal>> = {
  'whose certificate another authority signed': [
    ({ client }) => ({ certificateAuthoritiesFile: client[0] }),
    /its certificate is not trusted; to trust it, add .*; its certificate is for CN=localhost, issued by CN=/,
  ],
  'whose certificate has another name': [
    () => ({ serverName: 'other.example' }),
    /does not match certificate's altnames: .*; its certificate is for CN=localhost/,
  ],
  'when the authorities cannot be read': [
    () => ({ certificateAuthoritiesFile: '/nonexistent' }),
    /: the file in certificateAuthoritiesFile cannot be read: no such file$/,
  ],
  'when the key is none': [
    ({ client }) => ({ certificateFile: client[0], privateKeyFile: client[0] }),
    / cannot be used: .*; expected PEM files with matching certificate and key$/,
  ],
};

for (const [name, [change, reason]] of Object.entries(REFUSED)) {
  test(`over TLS a device is refused ${name}`, needs('pymodbus'), async (t) => {
    const files = await writeTlsFiles(t);
    const server = await startPymodbusServer('tls', ...files.server, files.authority);
    t.after(() => server.close());
    const settings = {
      transport: 'tcp-tls',
      host: '127.0.0.1',
      port: server.port,
      certificateAuthoritiesFile: files.authority,
      ...change(files),
    } as Settings;
    await assert.rejects(connectDriverTo(settings), (error) => {
      assert.ok(error instanceof Error && 'detail' in error);
      assert.match(String(error.detail), /^no connection to 127\.0\.0\.1:/);
      assert.match(String(error.detail), reason);
      return true;
    });
  });
}

test(
  'over TLS a device that wants a certificate refuses a gateway without one',
  needs('pymodbus'),
  async (t) => {
    const settings = await startTls(t);
    const {
      certificateFile: _,
      privateKeyFile: __,
      ...without
    } = settings as Settings & Record<string, unknown>;
    await assert.rejects(async () => {
      await using underTest = await connectDriverTo(without);
      await underTest.driver.prepareRead([createChannel()]).read(noDeadline());
    });
  },
);
