import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Reading, SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { WriteOutcome } from '../../../daemon/channel/write-step.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { NAMESPACE } from '../../support/opcua-server-nodes.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { runPrepared, writeValues } from '../../support/write-values.ts';

const KEEP_ALIVE_MS = 5000;

const directory = createTemporaryDirectory({ after });
let server: OpcuaServer;

before(async () => {
  server = await startOpcuaServer({ directory: `${directory}/server` });
});
after(() => server[Symbol.asyncDispose]());

async function connect(t: TestContext, clock: Clock = systemClock): Promise<SubscribingDriver<OpcuaAddress>> {
  const driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl, keepAliveMs: KEEP_ALIVE_MS },
    { dataDirectory: `${directory}/gateway`, clock },
  );
  t.after(() => driver.disconnect());
  await driver.connect(new AbortController().signal, () => undefined);
  return driver;
}

type Write = readonly [name: string, ValueType, ChannelValue];

async function write(
  driver: SubscribingDriver<OpcuaAddress>,
  ...writes: readonly Write[]
): Promise<readonly WriteOutcome[]> {
  const requests = writes.map(([name, valueType, value]) => ({
    channel: createOpcuaChannel(`writable.${name}`, valueType),
    value,
  }));
  return writeValues(driver, requests, new AbortController().signal);
}

function codesOf(outcomes: readonly (WriteOutcome | Reading)[]): readonly (string | undefined)[] {
  return outcomes.map(({ failure }) => failure?.code);
}

async function countRequests(): Promise<Readonly<Record<string, number | undefined>>> {
  return server.countRequests();
}

test('a node that was made anew is written in its new type; the others are written once', async (t) => {
  const driver = await connect(t);
  const others: readonly Write[] = [
    ['uint16', 'INTEGER', 11],
    ['uint32', 'LONG', 13],
  ];
  assert.deepEqual(codesOf(await write(driver, ['int16', 'DOUBLE', 12], ...others)), [
    undefined,
    undefined,
    undefined,
  ]);
  await server.replaceNode('int16', 'double');
  await countRequests();
  const outcomes = await write(driver, ['int16', 'DOUBLE', 13], ...others, ['int16', 'DOUBLE', 14]);
  assert.deepEqual(codesOf(outcomes), [undefined, undefined, undefined, undefined]);
  await server.listWrites();
  assert.deepEqual(codesOf(await write(driver, ['int16', 'DOUBLE', 14.5])), [undefined]);
  assert.deepEqual(await server.listWrites(), [{ name: 'int16', value: 14.5 }]);
  // Two requests for four values, and one more for each that was refused; then one, as nothing is left to learn.
  assert.equal((await countRequests())['WriteRequest'], 5);
});

test('a value that would be another one in the new type of its node is not sent', async (t) => {
  const driver = await connect(t);
  assert.deepEqual(codesOf(await write(driver, ['uint32', 'DOUBLE', 1])), [undefined]);
  await server.replaceNode('uint32', 'double');
  await server.listWrites();
  // The driver has said that it would send 3.
  const [outcome] = await write(driver, ['uint32', 'DOUBLE', 2.6]);
  assert.equal(outcome?.failure?.code, 'OPCUA_TYPE_CHANGED');
  assert.deepEqual(await server.listWrites(), []);
  assert.deepEqual(codesOf(await write(driver, ['uint32', 'DOUBLE', 2.6])), [undefined]);
  assert.deepEqual(await server.listWrites(), [{ name: 'uint32', value: 2.6 }]);
});

test('a write that was prepared in an earlier session is sent in the present one', async (t) => {
  const driver = await connect(t);
  const { signal } = new AbortController();
  const channel = createOpcuaChannel('writable.int64', 'DOUBLE');
  const second = createOpcuaChannel('writable.boolean', 'BOOLEAN');
  const requests = [
    { channel, value: 5 },
    { channel: second, value: true },
  ];
  const prepared = await driver.prepareWrite(requests, signal);
  await driver.disconnect();
  await assert.rejects(runPrepared(prepared, requests, signal), { code: 'OPCUA_NOT_CONNECTED' });
  await driver.connect(signal, () => undefined);
  await server.listWrites();
  assert.deepEqual(codesOf(await runPrepared(prepared, requests, signal)), [undefined, undefined]);
  assert.equal((await server.listWrites()).length, 2);
  const whole = await driver.prepareWrite([{ channel, value: 7.4 }], signal);
  await driver.disconnect();
  await server.replaceNode('int64', 'double');
  await driver.connect(signal, () => undefined);
  const [changed] = await runPrepared(whole, [{ channel, value: 7.4 }], signal);
  assert.equal(changed?.failure?.code, 'OPCUA_TYPE_CHANGED');
  assert.deepEqual(await server.listWrites(), []);
});

test('a value that no longer fits a node that was made anew is refused as such', async (t) => {
  const driver = await connect(t);
  assert.deepEqual(codesOf(await write(driver, ['sbyte', 'INTEGER', 1])), [undefined]);
  await server.replaceNode('sbyte', 'array');
  assert.deepEqual(codesOf(await write(driver, ['sbyte', 'INTEGER', 2])), ['OPCUA_ARRAY_VALUE']);
  assert.deepEqual(codesOf(await write(driver, ['sbyte', 'STRING', '[5,6]'])), [undefined]);
});

test('a value that did not fit a node before is written once the node was made anew', async (t) => {
  const driver = await connect(t);
  const outcomes = await write(driver, ['byte', 'INTEGER', 255], ['uint64', 'LONG', 1]);
  assert.deepEqual(codesOf(outcomes), [undefined, undefined]);
  assert.deepEqual(codesOf(await write(driver, ['byte', 'INTEGER', 256])), ['VALUE_OUT_OF_RANGE']);
  await server.replaceNode('byte', 'uint16');
  await server.listWrites();
  await countRequests();
  const next = await write(driver, ['uint64', 'LONG', 2], ['byte', 'INTEGER', 256], ['uint64', 'LONG', 3]);
  assert.deepEqual(codesOf(next), [undefined, undefined, undefined]);
  assert.deepEqual(await server.listWrites(), [
    { name: 'uint64', value: [0, 2] },
    { name: 'byte', value: 256 },
    { name: 'uint64', value: [0, 3] },
  ]);
  assert.equal((await countRequests())['WriteRequest'], 2);
});

test('a value whose type is refused is sent once when the server tells the same type as before', async (t) => {
  const driver = await connect(t);
  const channel = createOpcuaChannel('writable.int32', 'INTEGER', { dataType: 'Double' });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await countRequests();
    const outcomes = await writeValues(driver, [{ channel, value: 1 }], new AbortController().signal);
    assert.deepEqual(codesOf(outcomes), ['OPCUA_BAD_TYPE_MISMATCH']);
    assert.equal((await countRequests())['WriteRequest'], 1);
  }
});

test('a method that was made anew is called with its new arguments, and never twice for one write', async (t) => {
  await server.replaceMethod('Int16');
  const driver = await connect(t);
  const call = (value: number): Promise<readonly WriteOutcome[]> => {
    const address = { nodeId: `nsu=${NAMESPACE};s=plant`, method: `nsu=${NAMESPACE};s=call` };
    const channel = createOpcuaChannel('call', 'DOUBLE', address);
    return writeValues(driver, [{ channel, value }], new AbortController().signal);
  };
  assert.deepEqual(codesOf(await call(1)), [undefined]);
  await server.replaceMethod('Int32');
  await countRequests();
  const [refused] = await call(2);
  assert.equal(refused?.failure?.status, 'BadInvalidArgument');
  assert.equal((await countRequests())['CallRequest'], 1);
  assert.deepEqual(codesOf(await call(3)), [undefined]);
  await server.replaceMethod('Double');
  await server.listWrites();
  // It does not fit the type that is known, so the server is asked before it is called.
  assert.deepEqual(codesOf(await call(3e9)), [undefined]);
  assert.deepEqual(await server.listWrites(), [{ name: 'call', value: 3e9 }]);
});

function late(uri: string): Channel<OpcuaAddress> {
  return createOpcuaChannel('late', 'DOUBLE', { nodeId: `nsu=${uri};s=late` });
}

test('a namespace that the server gets later is found, and the server asked for it once in a while', async (t) => {
  const clock = new ManualClock();
  const driver = await connect(t, clock);
  const { signal } = new AbortController();
  const plan = driver.prepareRead([late('urn:late:read'), createOpcuaChannel('int32', 'INTEGER')]);
  const unknown = await plan.read(signal);
  assert.deepEqual(codesOf(unknown), ['OPCUA_NAMESPACE_UNKNOWN', undefined]);
  await server.addNamespace('urn:late:read');
  await countRequests();
  assert.deepEqual(codesOf(await plan.read(signal)), ['OPCUA_NAMESPACE_UNKNOWN', undefined]);
  assert.equal((await countRequests())['ReadRequest'], 1);
  clock.advance(KEEP_ALIVE_MS);
  const readings = await plan.read(signal);
  assert.deepEqual(
    readings.map(({ value }) => value),
    [1.5, -2_147_483_648],
  );
});

test('a write finds a namespace that the server gets later', async (t) => {
  const clock = new ManualClock();
  const driver = await connect(t, clock);
  const request = { channel: late('urn:late:write'), value: 2.5 };
  const { signal } = new AbortController();
  assert.deepEqual(codesOf(await writeValues(driver, [request], signal)), ['OPCUA_NAMESPACE_UNKNOWN']);
  await server.addNamespace('urn:late:write');
  clock.advance(KEEP_ALIVE_MS);
  assert.deepEqual(codesOf(await writeValues(driver, [request], signal)), [undefined]);
});

test('a listener gets the values of a namespace that the server gets later', async (t) => {
  const clock = new ManualClock();
  const driver = await connect(t, clock);
  const readings: Reading[] = [];
  const { promise: change, resolve: onChange } = Promise.withResolvers<undefined>();
  const listening = new AbortController();
  await driver.subscribe({
    channels: [createOpcuaChannel('int32', 'INTEGER'), late('urn:late:listen')],
    minimumIntervalMs: 50,
    onReading(index, reading) {
      if (index === 1) readings.push(reading);
      if (reading.value === 1.5) onChange(undefined);
    },
    onEnd: assert.ifError,
    signal: listening.signal,
  });
  await server.addNamespace('urn:late:listen');
  clock.advance(KEEP_ALIVE_MS);
  await change;
  listening.abort();
  assert.deepEqual(codesOf(readings), ['OPCUA_NAMESPACE_UNKNOWN', undefined]);
});

test('a write of a node that was made anew is not sent again when its outcome is unknown', async (t) => {
  const driver = await connect(t);
  assert.deepEqual(codesOf(await write(driver, ['float', 'DOUBLE', 1])), [undefined]);
  await server.replaceNode('float', 'int32');
  await countRequests();
  await server.answerWrites('BadTimeout');
  assert.deepEqual(codesOf(await write(driver, ['float', 'DOUBLE', 2])), ['OPCUA_WRITE_OUTCOME_UNKNOWN']);
  assert.equal((await countRequests())['WriteRequest'], 1);
});
