import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Reading, SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { AGED_MS } from '../../support/opcua-server-nodes.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { writeValues } from '../../support/write-values.ts';

const BULK_NODES = 250;
const NODES_PER_READ = 100;
const NODES_PER_WRITE = 3;

let server: OpcuaServer;
let driver: SubscribingDriver<OpcuaAddress>;
const directory = createTemporaryDirectory({ after });

before(async () => {
  const operationLimits = { maxNodesPerRead: NODES_PER_READ, maxNodesPerWrite: NODES_PER_WRITE };
  server = await startOpcuaServer({
    directory: `${directory}/server`,
    bulkNodes: BULK_NODES,
    operationLimits,
  });
  driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl, requestTimeoutMs: 10_000 },
    { dataDirectory: `${directory}/gateway` },
  );
  await driver.connect(noDeadline(), () => undefined);
});

after(async () => {
  await driver.disconnect();
  await server[Symbol.asyncDispose]();
});

const HELD: readonly (readonly [name: string, ValueType, ChannelValue])[] = [
  ['boolean', 'BOOLEAN', true],
  ['sbyte', 'INTEGER', -128],
  ['byte', 'INTEGER', 255],
  ['int16', 'INTEGER', -32_768],
  ['uint16', 'INTEGER', 65_535],
  ['int32', 'INTEGER', -2_147_483_648],
  ['uint32', 'LONG', 4_294_967_295],
  ['int64', 'LONG', 9_007_199_254_740_993n],
  ['uint64', 'LONG', 2n ** 64n - 1n],
  ['float', 'FLOAT', Math.fround(12.34)],
  ['double', 'DOUBLE', 0.1],
  ['string', 'STRING', 'Kessel'],
  ['dateTime', 'STRING', '2023-11-14T22:13:20.123Z'],
  ['dateTime', 'LONG', 1_700_000_000_123],
  ['guid', 'STRING', '72962B91-FA75-4AE6-8D28-B404DC7DAF63'],
  ['byteString', 'BYTE_ARRAY', Uint8Array.of(1, 2, 3)],
  ['localizedText', 'STRING', 'Vorlauf'],
  ['bytes', 'BYTE_ARRAY', Uint8Array.of(4, 5, 6)],
];

test('every built-in type is read as it is held', async () => {
  const readings = await read(...HELD.map(([name, valueType]) => createOpcuaChannel(name, valueType)));
  assert.deepEqual(
    readings.map(({ value }) => toPlain(value)),
    HELD.map(([, , value]) => toPlain(value)),
  );
});

test('an element of an array is read by its index, and an array as a whole is no value', async () => {
  const [element, whole, beyond] = await read(
    createOpcuaChannel('array', 'INTEGER', { indexRange: '1' }),
    createOpcuaChannel('array', 'INTEGER'),
    createOpcuaChannel('array', 'INTEGER', { indexRange: '7' }),
  );
  assert.equal(element?.value, 2);
  assert.equal(whole?.failure?.code, 'OPCUA_ARRAY_VALUE');
  assert.equal(beyond?.failure?.code, 'OPCUA_BAD_INDEX_RANGE_NO_DATA');
});

test('other attributes than the value are read', async () => {
  const [displayName, dataType] = await read(
    createOpcuaChannel('int32', 'STRING', { attribute: 'DisplayName' }),
    createOpcuaChannel('int32', 'STRING', { attribute: 'DataType' }),
  );
  assert.equal(displayName?.value, 'int32');
  assert.match(String(dataType?.value), /i=6\b/);
});

test('a node without a value to trust is a failure with the name of its status', async () => {
  const names = ['bad', 'denied', 'nothing', 'empty'];
  const readings = await read(...names.map((name) => createOpcuaChannel(name, 'DOUBLE')));
  assert.deepEqual(
    readings.map(({ failure }) => failure?.code),
    ['OPCUA_BAD_SENSOR_FAILURE', 'OPCUA_BAD_NOT_READABLE', 'OPCUA_BAD_NODE_ID_UNKNOWN', 'OPCUA_NO_VALUE'],
  );
});

test('an uncertain value is a failure with its status, because clients may not look at the quality', async () => {
  const [reading] = await read(createOpcuaChannel('uncertain', 'DOUBLE'));
  assert.equal(reading?.value, undefined);
  assert.deepEqual(
    [reading?.failure?.code, reading?.failure?.status],
    ['OPCUA_UNCERTAIN_LAST_USABLE_VALUE', 'UncertainLastUsableValue'],
  );
});

test('a namespace that the server does not have is a failure of its channels alone', async () => {
  const [unknown, known] = await read(
    createOpcuaChannel('far', 'INTEGER', { nodeId: 'nsu=urn:elsewhere;s=int32' }),
    createOpcuaChannel('int32', 'INTEGER'),
  );
  assert.equal(unknown?.failure?.code, 'OPCUA_NAMESPACE_UNKNOWN');
  assert.equal(known?.value, -2_147_483_648);
});

test('the time of a value is that of its source', async () => {
  const [reading] = await read(createOpcuaChannel('aged', 'DOUBLE'));
  assert.equal(reading?.timestampMs, AGED_MS);
});

test('many nodes are read in as few requests as the limit of the server allows', async () => {
  const channels = Array.from({ length: BULK_NODES }, (_, index) =>
    createOpcuaChannel(`bulk.${index}`, 'INTEGER'),
  );
  await server.countRequests();
  const readings = await driver.prepareRead(channels).read(noDeadline());
  const { ReadRequest: requests = 0 } = await server.countRequests();
  assert.deepEqual(
    readings.map(({ value }) => value),
    channels.map((_, index) => index),
  );
  assert.equal(requests, Math.ceil(BULK_NODES / NODES_PER_READ));
});

const WRITTEN: readonly (readonly [name: string, ValueType, ChannelValue])[] = [
  ['boolean', 'BOOLEAN', false],
  ['sbyte', 'INTEGER', 127],
  ['byte', 'INTEGER', 0],
  ['int16', 'INTEGER', 32_767],
  ['uint16', 'INTEGER', 1],
  ['int32', 'INTEGER', 2_147_483_647],
  ['uint32', 'LONG', 4_294_967_294],
  ['int64', 'LONG', -9_007_199_254_740_993n],
  ['uint64', 'LONG', 9_007_199_254_740_993n],
  ['float', 'FLOAT', Math.fround(0.1)],
  ['double', 'DOUBLE', 5e-324],
  ['string', 'STRING', 'Wärme ☀'],
  ['dateTime', 'STRING', '2024-02-29T12:00:00.001Z'],
  ['guid', 'STRING', '00000000-0000-4000-8000-000000000001'],
  ['byteString', 'BYTE_ARRAY', Uint8Array.of(255, 0)],
  ['localizedText', 'STRING', 'Rücklauf'],
  ['number', 'INTEGER', 8],
];

test('every type is written as the server asks for it, and reads back', async () => {
  const channels = WRITTEN.map(([name, valueType]) => createOpcuaChannel(`writable.${name}`, valueType));
  const requests = channels.map((channel, index) => ({ channel, value: WRITTEN[index]?.[2] ?? 0 }));
  await server.countRequests();
  const outcomes = await writeValues(driver, requests, noDeadline());
  assert.deepEqual(
    outcomes.map(({ failure }) => failure),
    channels.map(() => undefined),
  );
  const { WriteRequest: writes = 0 } = await server.countRequests();
  assert.equal(writes, Math.ceil(WRITTEN.length / NODES_PER_WRITE));
  const readings = await read(...channels);
  assert.deepEqual(
    readings.map(({ value }) => toPlain(value)),
    WRITTEN.map(([, , value]) => toPlain(value)),
  );
});

test('the type of a node is asked for once', async () => {
  const request = { channel: createOpcuaChannel('writable.int16', 'INTEGER'), value: 5 };
  await writeValues(driver, [request], noDeadline());
  await server.countRequests();
  await writeValues(driver, [request], noDeadline());
  assert.equal((await server.countRequests())['ReadRequest'] ?? 0, 0);
});

test('an element of an array is written, and the others stay', async () => {
  const channel = createOpcuaChannel('writable.array', 'INTEGER', { indexRange: '1' });
  const [outcome] = await writeValues(driver, [{ channel, value: 20 }], noDeadline());
  assert.equal(outcome?.failure, undefined);
  const elements = ['0', '1', '2'].map((indexRange) =>
    createOpcuaChannel('writable.array', 'INTEGER', { indexRange }),
  );
  assert.deepEqual(
    (await read(...elements)).map(({ value }) => value),
    [1, 20, 3],
  );
});

test('a write that cannot be done fails alone, and nothing else is left out', async () => {
  const outcomes = await writeValues(
    driver,
    [
      { channel: createOpcuaChannel('writable.byte', 'INTEGER'), value: 256 },
      { channel: createOpcuaChannel('int32', 'INTEGER'), value: 1 },
      { channel: createOpcuaChannel('nothing', 'INTEGER'), value: 1 },
      { channel: createOpcuaChannel('writable.int32', 'INTEGER', { dataType: 'Double' }), value: 1 },
      { channel: createOpcuaChannel('writable.int32', 'INTEGER'), value: 77 },
    ],
    noDeadline(),
  );
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    [
      'VALUE_OUT_OF_RANGE',
      'OPCUA_NODE_NOT_WRITABLE',
      'OPCUA_BAD_NODE_ID_UNKNOWN',
      'OPCUA_BAD_TYPE_MISMATCH',
      undefined,
    ],
  );
  assert.equal((await read(createOpcuaChannel('writable.int32', 'INTEGER')))[0]?.value, 77);
});

async function read(...channels: readonly Channel<OpcuaAddress>[]): Promise<readonly Reading[]> {
  return driver.prepareRead(channels).read(noDeadline());
}

/** Bytes compare by their values, not by the kind of array that holds them. */
function toPlain(value: ChannelValue | undefined): unknown {
  return value instanceof Uint8Array ? [...value] : value;
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
