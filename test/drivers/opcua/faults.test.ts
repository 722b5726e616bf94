import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { TestContext } from 'node:test';

import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { HOSTILE_ANSWERS, serveHostile } from '../../support/hostile-opcua-sockets.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { writeValues } from '../../support/write-values.ts';

const root = createTemporaryDirectory({ after });
const dataDirectory = path.join(root, 'gateway');
const string = createOpcuaChannel('string', 'STRING');
const setpoint = createOpcuaChannel('writable.int32', 'INTEGER');
let server: OpcuaServer;

before(async () => {
  server = await startOpcuaServer({
    directory: path.join(root, 'server'),
    bulkNodes: 50,
    operationLimits: { maxNodesPerRead: 20 },
  });
});
beforeEach(() => server.reset());
after(() => server[Symbol.asyncDispose]());

interface Connected {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  /** Resolves with the argument of `onLost`. */
  readonly lost: Promise<Error>;
}

function createDriver(
  t: TestContext,
  settings: Readonly<Record<string, unknown>> = {},
): SubscribingDriver<OpcuaAddress> {
  const driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl, requestTimeoutMs: 1500, keepAliveMs: 1000, ...settings },
    { dataDirectory },
  );
  t.after(() => driver.disconnect());
  return driver;
}

async function connect(t: TestContext, settings: Readonly<Record<string, unknown>> = {}): Promise<Connected> {
  const driver = createDriver(t, settings);
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  await driver.connect(noDeadline(), resolve);
  return { driver, lost };
}

test('a frozen server costs one time-out and the connection, and sends values once it goes on', async (t) => {
  const { driver, lost } = await connect(t);
  const prepared = driver.prepareRead([string]);
  server.hold();
  t.after(() => server.goOn());
  await assert.rejects(prepared.read(noDeadline()), { code: 'OPCUA_LINK_LOST' });
  assert.ok((await lost) instanceof ConnectionError);
  server.goOn();
  await driver.connect(noDeadline(), () => undefined);
  assert.equal((await prepared.read(noDeadline()))[0]?.value, 'Kessel');
});

test('a server that freezes while no call is under way is found by keep-alive', async (t) => {
  const { lost } = await connect(t);
  server.hold();
  t.after(() => server.goOn());
  assert.match((await lost).message, /did not respond/);
});

test('disconnect ends although the server is frozen', async (t) => {
  const { driver } = await connect(t);
  server.hold();
  t.after(() => server.goOn());
  await driver.disconnect();
  await assert.rejects(driver.prepareRead([string]).read(noDeadline()), { code: 'OPCUA_NOT_CONNECTED' });
});

test('an attempt to connect to a frozen server ends with its signal, and with its own time', async (t) => {
  const driver = createDriver(t, { connectTimeoutMs: 200 });
  server.hold();
  t.after(() => server.goOn());
  const giveUp = new AbortController();
  const connecting = driver.connect(giveUp.signal, () => undefined);
  giveUp.abort(new Error('given up'));
  await assert.rejects(connecting, /given up/);
  await assert.rejects(
    driver.connect(noDeadline(), () => undefined),
    { code: 'OPCUA_CONNECT_TIMEOUT' },
  );
});

test('the time to connect is that of the server: the gateway may take longer to create its own key', async (t) => {
  const clock = new ManualClock(Date.now());
  const fresh = path.join(root, 'slow-gateway');
  const settings = { endpointUrl: server.endpointUrl, connectTimeoutMs: 1000 };
  const driver = createOpcuaDriver(settings, { dataDirectory: fresh, clock });
  t.after(() => driver.disconnect());
  const connecting = driver.connect(noDeadline(), () => undefined);
  // It is there right before the key is created.
  while (!existsSync(path.join(fresh, 'own'))) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  await connecting;
  assert.equal((await driver.prepareRead([string]).read(noDeadline()))[0]?.value, 'Kessel');
});

test('a write that was sent and not answered has an unknown outcome; the next one is not sent', async (t) => {
  const { driver } = await connect(t);
  await writeValues(driver, [{ channel: setpoint, value: 1 }], noDeadline());
  server.hold();
  t.after(() => server.goOn());
  const outcomes = await writeValues(
    driver,
    [
      { channel: setpoint, value: 2 },
      { channel: setpoint, value: 3 },
    ],
    noDeadline(),
  );
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    ['OPCUA_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK'],
  );
  assert.match(outcomes[0]?.failure?.message ?? '', /outcome unknown$/);
  assert.match(outcomes[1]?.failure?.message ?? '', /not sent$/);
  server.goOn();
  await driver.connect(noDeadline(), () => undefined);
  const [reading] = await driver.prepareRead([setpoint]).read(noDeadline());
  assert.notEqual(reading?.value, 3);
});

test('a session that the server ended is lost, and its calls are not carried out in another', async (t) => {
  const { driver, lost } = await connect(t);
  await server.listWrites();
  await server.closeSessions();
  const write = writeValues(driver, [{ channel: setpoint, value: 77 }], noDeadline());
  await assert.rejects(write, ConnectionError);
  await lost;
  await driver.connect(noDeadline(), () => undefined);
  assert.deepEqual(await server.listWrites(), []);
});

test('a server without a free session is refused with its status', async (t) => {
  const small = await startOpcuaServer({ directory: createTemporaryDirectory(t), maxSessions: 1 });
  t.after(() => small[Symbol.asyncDispose]());
  const { endpointUrl } = small;
  const { driver } = await connect(t, { endpointUrl });
  const refused = createDriver(t, { endpointUrl });
  await assert.rejects(
    refused.connect(noDeadline(), () => undefined),
    { code: 'OPCUA_BAD_TOO_MANY_SESSIONS' },
  );
  await driver.disconnect();
  await refused.connect(noDeadline(), () => undefined);
  assert.equal((await refused.prepareRead([string]).read(noDeadline()))[0]?.value, 'Kessel');
});

test('after a restart with namespaces in another order, values come from the right nodes', async (t) => {
  const directory = createTemporaryDirectory(t);
  const first = await startOpcuaServer({ directory, port: await findFreePort() });
  t.after(() => first[Symbol.asyncDispose]());
  const { driver, lost } = await connect(t, { endpointUrl: first.endpointUrl });
  const prepared = driver.prepareRead([string, setpoint]);
  const former = await prepared.read(noDeadline());
  await first.kill();
  await lost;
  const second = await startOpcuaServer({
    directory,
    port: first.port,
    namespaces: ['urn:other', 'urn:more'],
  });
  t.after(() => second[Symbol.asyncDispose]());
  await driver.connect(noDeadline(), () => undefined);
  const readings = await prepared.read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    former.map(({ value }) => value),
  );
  assert.deepEqual(
    await writeValues(driver, [{ channel: setpoint, value: 5 }], noDeadline()).then(failuresOf),
    [undefined],
  );
});

test('a namespace that the server does not have is a failure, and the others have values', async (t) => {
  const { driver } = await connect(t);
  const lost = createOpcuaChannel('string', 'STRING', { nodeId: 'nsu=urn:nowhere;s=string' });
  const readings = await driver.prepareRead([lost, string]).read(noDeadline());
  assert.deepEqual(failuresOf(readings), ['OPCUA_NAMESPACE_UNKNOWN', undefined]);
});

test('a response in one chunk that is longer than agreed is read', async (t) => {
  // The server takes the gateway for a client with a large buffer, and sends one chunk where others send several.
  const cable = await layTcpCable(server.port, undefined, (bytes) => {
    if (bytes.toString('latin1', 0, 3) === 'HEL') bytes.writeUInt32LE(512 * 1024, 12);
    return bytes;
  });
  t.after(() => cable[Symbol.asyncDispose]());
  const { driver } = await connect(t, { endpointUrl: `opc.tcp://127.0.0.1:${cable.port}` });
  const long = createOpcuaChannel('writable.string', 'STRING');
  const text = 'x'.repeat(60_000);
  await writeValues(driver, [{ channel: long, value: text }], noDeadline());
  const readings = await driver.prepareRead([long, long, long]).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    [text, text, text],
  );
});

test('reads keep to the limits of the server', async (t) => {
  const { driver } = await connect(t);
  await server.countRequests();
  const channels = Array.from({ length: 50 }, (_, index) => createOpcuaChannel(`bulk.${index}`, 'INTEGER'));
  const readings = await driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    channels.map((_, index) => index),
  );
  assert.equal((await server.countRequests())['ReadRequest'], 3);
});

for (const [what, answer] of Object.entries(HOSTILE_ANSWERS)) {
  test(`connect fails, and no more than that, with a server that ${what}`, async (t) => {
    const port = await serveHostile(t, answer);
    const driver = createDriver(t, { endpointUrl: `opc.tcp://127.0.0.1:${port}`, connectTimeoutMs: 500 });
    await assert.rejects(
      driver.connect(noDeadline(), () => undefined),
      ConnectionError,
    );
  });
}

function failuresOf(
  results: readonly { readonly failure?: { readonly code: string } | undefined }[],
): readonly (string | undefined)[] {
  return results.map(({ failure }) => failure?.code);
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
