/** The driver opcua against servers of other makes; each is fetched and built when it is first needed, or skipped. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { GatewayError } from '../../daemon/base/errors.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { SECURITY_POLICIES } from '../../drivers/opcua/opcua-config.ts';
import { makeServerCertificate } from '../support/asyncua-certificate.ts';
import { findFreePort } from '../support/free-ports.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../support/opcua-driver-under-test.ts';
import { layTcpCable } from '../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { writeValues } from '../support/write-values.ts';
import { testChangedIntervals } from './changed-intervals.ts';
import { testCutConnection } from './cut-connection.ts';
import { prepare, start } from './counterpart.ts';
import type { Running } from './counterpart.ts';
import { OPCUA_MAKES } from './opcua-makes.ts';
import type { OpcuaMake } from './opcua-makes.ts';

const VALUES: readonly (readonly [name: string, ValueType, ChannelValue])[] = [
  ['boolean', 'BOOLEAN', true],
  ['sByte', 'INTEGER', -128],
  ['byte', 'INTEGER', 255],
  ['int16', 'INTEGER', -32_768],
  ['uint16', 'INTEGER', 65_535],
  ['int32', 'INTEGER', -2_147_483_648],
  ['uint32', 'LONG', 4_294_967_295],
  ['int64', 'LONG', -(2n ** 63n)],
  ['uint64', 'STRING', '18446744073709551615'],
  ['float', 'FLOAT', 12.5],
  ['double', 'DOUBLE', 0.1],
  ['string', 'STRING', 'Kessel ß'],
  ['dateTime', 'STRING', '2024-02-29T12:00:00.123Z'],
  ['guid', 'STRING', '72962B91-FA75-4AE6-8D28-B404DC7DAF63'],
  ['byteString', 'BYTE_ARRAY', Buffer.of(1, 2, 3)],
  ['xmlElement', 'STRING', '<a>1</a>'],
  ['nodeId', 'STRING', 'i=85'],
  ['expandedNodeId', 'STRING', 'svr=4;nsu=urn:far;i=7'],
  ['qualifiedName', 'STRING', '1:Boiler'],
  ['localizedText', 'STRING', 'Vorlauf'],
  ['statusCode', 'STRING', 'BadTimeout (0x800a0000)'],
  ['range', 'STRING', '{"Low":-1.5,"High":20}'],
  ['variants', 'STRING', '[7,"x"]'],
];

const WRITTEN: readonly (readonly [name: string, ValueType, ChannelValue])[] = [
  ['boolean', 'BOOLEAN', false],
  ['sByte', 'INTEGER', 127],
  ['byte', 'INTEGER', 0],
  ['int16', 'INTEGER', 32_767],
  ['uint16', 'INTEGER', 1],
  ['int32', 'INTEGER', 7],
  ['uint32', 'LONG', 4_294_967_294],
  ['int64', 'LONG', 2n ** 63n - 1n],
  ['uint64', 'STRING', '18446744073709551614'],
  ['float', 'FLOAT', 0.25],
  ['double', 'DOUBLE', -0.5],
  ['string', 'STRING', '"Vorlauf" €'],
  ['dateTime', 'STRING', '2025-01-01T00:00:00.000Z'],
  ['guid', 'STRING', '00000000-0000-0000-0000-000000000001'],
  ['byteString', 'BYTE_ARRAY', Buffer.of(9)],
  ['localizedText', 'STRING', 'Rücklauf'],
  ['variants', 'STRING', '[8,"y"]'],
];
const PROTECTIONS: readonly { readonly securityMode: string; readonly securityPolicy?: string }[] = [
  { securityMode: 'NONE' },
  ...SECURITY_POLICIES.flatMap((securityPolicy) =>
    ['SIGN', 'SIGN_AND_ENCRYPT'].map((securityMode) => ({ securityPolicy, securityMode })),
  ),
];
const BULK = 250;
const LIMIT = 40;
const USER = { userName: 'operator', password: 'correct horse' };

for (const make of OPCUA_MAKES) {
  const prepared = await prepare(make);
  suite(make.name, { skip: 'skip' in prepared ? prepared.skip : false }, () => {
    if ('directory' in prepared) testMake(make, prepared.directory);
  });
}

function testMake(make: OpcuaMake, directory: string): void {
  // The key of the gateway takes seconds to make.
  const home = createTemporaryDirectory({ after });
  writeFileSync(path.join(home, 'server.der'), makeServerCertificate(home).raw);
  const channelOf = (name: string, valueType: ValueType): Channel<OpcuaAddress> =>
    createOpcuaChannel(name, valueType, { nodeId: `${make.prefix}${name}` });
  const setpoint = channelOf('setpoint', 'INTEGER');

  /** Starts the server; with the setting `trusted` it trusts the gateway. */
  async function serve(
    t: TestContext,
    settings: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<{ readonly endpointUrl: string; readonly server: Running; readonly port: number }> {
    const port = Number(settings['port'] ?? (await findFreePort()));
    const server = await start(make, directory, {
      port,
      certificate: path.join(home, 'server.crt'),
      certificateDer: path.join(home, 'server.der'),
      pki: mkdtempSync(path.join(home, 'pki-')),
      privateKey: path.join(home, 'server.key'),
      applicationUri: 'urn:penstock:test:server',
      ...settings,
    });
    t.after(() => server[Symbol.asyncDispose]());
    return { endpointUrl: `opc.tcp://127.0.0.1:${port}${make.urlPath}`, server, port };
  }

  function createDriver(
    t: TestContext,
    settings: { readonly endpointUrl: string } & Readonly<Record<string, unknown>>,
  ): SubscribingDriver<OpcuaAddress> {
    const driver = createOpcuaDriver(
      { connectTimeoutMs: 30_000, requestTimeoutMs: 10_000, ...settings },
      { dataDirectory: path.join(home, 'gateway') },
    );
    t.after(() => driver.disconnect());
    return driver;
  }

  async function connect(
    t: TestContext,
    settings: { readonly endpointUrl: string } & Readonly<Record<string, unknown>>,
  ): Promise<SubscribingDriver<OpcuaAddress>> {
    const driver = createDriver(t, settings);
    await driver.connect(noDeadline(), () => undefined);
    return driver;
  }

  test('the values of all built-in types are read', async (t) => {
    const driver = await connect(t, await serve(t).then(({ endpointUrl }) => ({ endpointUrl })));
    const held = VALUES.filter(([name]) => !make.missing.includes(name));
    const channels = held.map(([name, valueType]) => channelOf(name, valueType));
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value, failure }, index) => [held[index]?.[0], failure ?? value]),
      held.map(([name, , value]) => [name, value]),
    );
  });

  test('values of all types that can be written are written and read back', async (t) => {
    const written = WRITTEN.filter(([name]) => !make.missing.includes(name));
    const driver = await connect(t, await serve(t).then(({ endpointUrl }) => ({ endpointUrl })));
    const writes = written.map(([name, valueType, value]) => ({
      channel: channelOf(name, valueType),
      value,
    }));
    const outcomes = await writeValues(driver, writes, noDeadline());
    const failures = outcomes.map(({ failure }, index) => [written[index]?.[0], failure]);
    assert.deepEqual(
      failures,
      written.map(([name]) => [name, undefined]),
    );
    const channels = writes.map(({ channel }) => channel);
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value, failure }, index) => [written[index]?.[0], failure ?? value]),
      written.map(([name, , value]) => [name, value]),
    );
  });

  test('changes are reported, and after a restart they are again', async (t) => {
    const first = await serve(t);
    const driver = createDriver(t, { endpointUrl: first.endpointUrl });
    const lost = Promise.withResolvers<Error>();
    await driver.connect(noDeadline(), lost.resolve);
    await follow(driver, setpoint, 5);
    await first.server.kill();
    await lost.promise;
    await serve(t, { port: first.port });
    await driver.connect(noDeadline(), () => undefined);
    const [reading] = await driver.prepareRead([setpoint]).read(noDeadline());
    assert.equal(reading?.value, 0);
    await follow(driver, setpoint, 6);
  });

  if (make.changesIntervals === true) {
    test('listeners of several intervals receive changes over one subscription', async (t) => {
      const { endpointUrl } = await serve(t);
      const driver = await connect(t, { endpointUrl });
      const { prefix, safeSamplingIntervalMs } = make;
      const address = { nodeId: `${prefix}setpoint`, samplingIntervalMs: safeSamplingIntervalMs };
      const channel = createOpcuaChannel('setpoint', 'INTEGER', address);
      for (const [index, intervalMs] of [500, 100, 1000, 50].entries())
        await follow(driver, channel, 5 + index, intervalMs);
      assert.equal(driver.counters()['subscriptions'], 1);
    });
  }

  testChangedIntervals(make, async (t) => {
    const { endpointUrl } = await serve(t);
    return { driver: await connect(t, { endpointUrl }), direct: await connect(t, { endpointUrl }) };
  });

  test('many values are read at once', async (t) => {
    const { endpointUrl } = await serve(t, { bulk: BULK, limit: make.hasLimits ? LIMIT : undefined });
    const driver = await connect(t, { endpointUrl });
    const channels = Array.from({ length: BULK }, (_, index) => channelOf(`bulk.${index}`, 'INTEGER'));
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value, failure }) => failure ?? value),
      channels.map((_, index) => index),
    );
  });

  testCutConnection(make, async (t) => {
    const port = await findFreePort();
    const cable = await layTcpCable(port);
    t.after(() => cable[Symbol.asyncDispose]());
    const { endpointUrl } = await serve(t, { port, through: cable.port });
    const direct = await connect(t, { endpointUrl });
    const throughCable = endpointUrl.replace(`:${port}`, `:${cable.port}`);
    return { cable, direct, connect: (settings) => connect(t, { ...settings, endpointUrl: throughCable }) };
  });

  if (make.urlPath !== '') {
    test('a URL without the path of the server says what to do', async (t) => {
      const { port } = await serve(t);
      const driver = createDriver(t, { endpointUrl: `opc.tcp://127.0.0.1:${port}` });
      const { detail } = await refusalOf(driver);
      assert.match(detail, /path that the server expects|set endpointUrl to a URL/);
    });
  }

  if (make.isSecured) {
    test('a gateway connects once both sides trust each other, and the messages lead there', async (t) => {
      const first = await serve(t);
      const settings = { endpointUrl: first.endpointUrl, securityMode: 'SIGN_AND_ENCRYPT' };
      const unknown = await refusalOf(createDriver(t, settings));
      assert.equal(unknown.code, 'OPCUA_SERVER_CERTIFICATE');
      trustServer(home);
      const untrusted = await refusalOf(createDriver(t, settings));
      assert.match(untrusted.detail, /approve the certificate of the gateway on the server/);
      await first.server.kill();
      await serve(t, { port: first.port, trusted: ownCertificate(home) });
      const driver = await connect(t, settings);
      const [reading] = await driver.prepareRead([setpoint]).read(noDeadline());
      assert.equal(reading?.value, 0);
    });
  }

  for (const protection of PROTECTIONS) {
    if (protection.securityMode !== 'NONE' && !make.isSecured) continue;
    test(`values are written and read with ${Object.values(protection).join(', ')}`, async (t) => {
      trustServer(home);
      const { endpointUrl } = await serve(t, { trusted: ownCertificate(home) });
      const driver = await connect(t, { endpointUrl, ...protection });
      const [outcome] = await writeValues(driver, [{ channel: setpoint, value: 7 }], noDeadline());
      assert.equal(outcome?.failure, undefined);
      const [reading] = await driver.prepareRead([setpoint]).read(noDeadline());
      assert.equal(reading?.value, 7);
    });
  }

  if (!make.isSecured) return;

  test('a user is accepted by password, and neither with another one nor without', async (t) => {
    trustServer(home);
    const user = `${USER.userName}:${USER.password}`;
    const { endpointUrl } = await serve(t, { trusted: ownCertificate(home), user });
    const settings = { endpointUrl, securityMode: 'SIGN_AND_ENCRYPT' };
    const driver = await connect(t, { ...settings, ...USER });
    const [reading] = await driver.prepareRead([setpoint]).read(noDeadline());
    assert.equal(reading?.value, 0);
    const wrong = await refusalOf(createDriver(t, { ...settings, ...USER, password: 'wrong' }));
    assert.match(wrong.detail, /check userName and password/);
    const none = await refusalOf(createDriver(t, settings));
    assert.match(none.detail, /set userName and password/);
    assert.doesNotMatch(wrong.detail + none.detail, /horse/);
  });
}

/** Resolves when a change is reported that is written after the subscription began. */
async function follow(
  driver: SubscribingDriver<OpcuaAddress>,
  channel: Channel<OpcuaAddress>,
  value: number,
  minimumIntervalMs = 100,
): Promise<void> {
  const change = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ending = new AbortController();
  await driver.subscribe({
    channels: [channel],
    minimumIntervalMs,
    signal: ending.signal,
    // The server that is killed later ends it.
    onEnd: () => undefined,
    onReading(_, reading) {
      begun.resolve();
      if (reading.value === value) change.resolve();
    },
  });
  await begun.promise;
  const [outcome] = await writeValues(driver, [{ channel, value }], noDeadline());
  assert.equal(outcome?.failure, undefined);
  await change.promise;
}

async function refusalOf(driver: SubscribingDriver<OpcuaAddress>): Promise<GatewayError> {
  const error = await driver
    .connect(noDeadline(), () => undefined)
    .then(
      () => undefined,
      (thrown: unknown) => thrown as GatewayError,
    );
  return error ?? assert.fail('it connects');
}

function trustServer(home: string): void {
  const trusted = path.join(home, 'gateway', 'trusted');
  mkdirSync(trusted, { recursive: true, mode: 0o700 });
  copyFileSync(path.join(home, 'server.crt'), path.join(trusted, 'server.crt'));
}

function ownCertificate(home: string): string {
  return path.join(home, 'gateway', 'own', 'certificate.pem');
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
