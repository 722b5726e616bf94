import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteOutcome } from '../../../../daemon/channel/write-step.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import { connectDriver, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../../support/modbus-fault-server.ts';
import type { FaultScript, FaultServer } from '../../../support/modbus-fault-server.ts';
import { writeValues } from '../../../support/write-values.ts';

const answer: FaultScript = (request, connection) => connection.send(answerFrame(request));

/** Writes values to a device with these settings, in one call. */
async function write(
  server: FaultServer,
  settings: Parameters<typeof connectDriver>[1],
  ...values: readonly (readonly [Partial<ModbusAddress>, ChannelValue, ValueType?])[]
): Promise<readonly WriteOutcome[]> {
  await using underTest = await connectDriver(server.port, settings);
  const requests = values.map(([address, value, valueType]) => ({
    channel: createChannel(address, valueType),
    value,
  }));
  return await writeValues(underTest.driver, requests, noDeadline());
}

/** Function code, offset and what follows of each request. */
function requestsOf({ requests }: FaultServer): readonly (readonly number[])[] {
  return requests.map(({ pdu }) => [pdu[0] ?? 0, pdu.readUInt16BE(1), pdu.readUInt16BE(3)]);
}

const codesOf = (outcomes: readonly WriteOutcome[]): readonly (string | undefined)[] =>
  outcomes.map(({ failure }) => failure?.code);

const TEXT = { offset: 10, dataType: 'STRING', length: 80 } as const;

test('joined writes are cut at maximumRegistersPerRequest', async () => {
  await using server = await startFaultServer(answer);
  const values = [0, 1, 2, 3, 4].map((offset) => [{ offset }, 7] as const);
  const outcomes = await write(server, { maximumRegistersPerRequest: 2 }, ...values);
  assert.deepEqual(codesOf(outcomes), [undefined, undefined, undefined, undefined, undefined]);
  assert.deepEqual(requestsOf(server), [
    [16, 0, 2],
    [16, 2, 2],
    [6, 4, 7],
  ]);
});

test('joined writes of coils are cut at maximumBitsPerRequest', async () => {
  await using server = await startFaultServer(answer);
  const values = [0, 1, 2].map((offset) => [{ table: 'COILS', offset }, true, 'BOOLEAN'] as const);
  await write(server, { maximumBitsPerRequest: 2 }, ...values);
  assert.deepEqual(requestsOf(server), [
    [15, 0, 2],
    [5, 2, 0xff00],
  ]);
});

test('a value longer than the limit is refused before anything is sent, and the others are written', async () => {
  await using server = await startFaultServer(answer);
  const outcomes = await write(
    server,
    { units: [{ unitId: 7, maximumRegistersPerRequest: 16 }] },
    [{ ...TEXT, unitId: 7 }, 'Pump', 'STRING'],
    [{ unitId: 7, offset: 1 }, 3],
  );
  assert.deepEqual(outcomes[0]?.failure, {
    code: 'MODBUS_VALUE_TOO_LONG',
    message:
      'the value needs 40 registers, but a write to unit 7 carries at most 16; splitValues: true sends it in parts',
  });
  assert.deepEqual(requestsOf(server), [[6, 1, 3]]);
});

test('maximumRegistersPerWrite limits writes alone', async () => {
  await using server = await startFaultServer(answer);
  await using underTest = await connectDriver(server.port, { maximumRegistersPerWrite: 2 });
  const channels = [0, 1, 2].map((offset) => createChannel({ offset }));
  await underTest.driver.prepareRead(channels).read(noDeadline());
  await writeValues(
    underTest.driver,
    channels.map((channel) => ({ channel, value: 1 })),
    noDeadline(),
  );
  assert.deepEqual(requestsOf(server), [
    [3, 0, 3],
    [16, 0, 2],
    [6, 2, 1],
  ]);
});

test('with splitValues a value longer than the limit is sent in parts', async () => {
  await using server = await startFaultServer(answer);
  const settings = { maximumRegistersPerRequest: 16, splitValues: true };
  const outcomes = await write(server, settings, [TEXT, 'Pump', 'STRING']);
  assert.deepEqual(codesOf(outcomes), [undefined]);
  assert.deepEqual(requestsOf(server), [
    [16, 10, 16],
    [16, 26, 16],
    [16, 42, 8],
  ]);
});

test('an array of coils longer than the limit is refused, and with splitValues sent in parts', async () => {
  await using server = await startFaultServer(answer);
  const coils = [{ table: 'COILS', offset: 4, count: 5 }, '[true,true,false,false,true]', 'STRING'] as const;
  const [refused] = await write(server, { maximumBitsPerWrite: 2 }, coils);
  assert.deepEqual(refused?.failure, {
    code: 'MODBUS_VALUE_TOO_LONG',
    message:
      'the value needs 5 coils, but a write to unit 1 carries at most 2; splitValues: true sends it in parts',
  });
  assert.deepEqual(requestsOf(server), []);
  assert.deepEqual(codesOf(await write(server, { maximumBitsPerWrite: 2, splitValues: true }, coils)), [
    undefined,
  ]);
  assert.deepEqual(requestsOf(server), [
    [15, 4, 2],
    [15, 6, 2],
    [5, 8, 0xff00],
  ]);
});

test('an array of coils of which a part is refused names how many are written', async () => {
  await using server = await startFaultServer((request, connection) => {
    const isSecond = request.pdu.readUInt16BE(1) === 6;
    connection.send(isSecond ? exceptionFrame(request, 2) : answerFrame(request));
  });
  const coils = [{ table: 'COILS', offset: 4, count: 3 }, '[true,true,false]', 'STRING'] as const;
  const [partly] = await write(server, { maximumBitsPerWrite: 2, splitValues: true }, coils);
  assert.equal(partly?.failure?.code, 'MODBUS_PARTLY_WRITTEN');
  assert.match(partly.failure.message, /; 2 of 3 coils were written$/);
});

test('an array shares no request with neighbours', async () => {
  await using server = await startFaultServer(answer);
  await write(
    server,
    {},
    [{ table: 'COILS', offset: 4 }, true, 'BOOLEAN'],
    [{ table: 'COILS', offset: 5, count: 2 }, '[true,true]', 'STRING'],
    [{ table: 'COILS', offset: 7 }, true, 'BOOLEAN'],
  );
  assert.deepEqual(requestsOf(server), [
    [5, 4, 0xff00],
    [15, 5, 2],
    [5, 7, 0xff00],
  ]);
});

test('a part that is refused leaves the value partly written, and holds back what follows', async () => {
  await using server = await startFaultServer((request, connection) => {
    const isSecond = request.pdu.readUInt16BE(1) === 26;
    connection.send(isSecond ? exceptionFrame(request, 2) : answerFrame(request));
  });
  const settings = { maximumRegistersPerRequest: 16, splitValues: true };
  const outcomes = await write(
    server,
    settings,
    [TEXT, 'Pump', 'STRING'],
    [{ offset: 1 }, 1],
    [{ offset: 1, unitId: 8 }, 1],
  );
  assert.deepEqual(codesOf(outcomes), ['MODBUS_PARTLY_WRITTEN', 'WRITE_HELD_BACK', 'WRITE_HELD_BACK']);
  const [partly] = outcomes;
  assert.ok(partly?.failure !== undefined);
  assert.equal(
    partly.failure.message,
    'unit 1 returned exception 02 ILLEGAL DATA ADDRESS; 16 of 40 registers were written',
  );
  assert.equal(partly.outcome, 'UNKNOWN');
});

test('a first part that is refused leaves the value as it was', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 2));
  });
  const settings = { maximumRegistersPerRequest: 16, splitValues: true };
  const outcomes = await write(server, settings, [TEXT, 'Pump', 'STRING']);
  assert.deepEqual(codesOf(outcomes), ['MODBUS_ILLEGAL_DATA_ADDRESS']);
  assert.equal(server.requests.length, 1);
});

test('a part without a valid answer leaves an unknown outcome', async () => {
  await using server = await startFaultServer((request, connection) => {
    const isSecond = request.pdu.readUInt16BE(1) === 26;
    const wrong = createFrame({ ...request, pdu: Buffer.from([16, 0, 0, 0, 1]) });
    connection.send(isSecond ? wrong : answerFrame(request));
  });
  const settings = { maximumRegistersPerRequest: 16, splitValues: true };
  const outcomes = await write(server, settings, [TEXT, 'Pump', 'STRING']);
  assert.deepEqual(codesOf(outcomes), ['MODBUS_WRITE_OUTCOME_UNKNOWN']);
});

test('SINGLE writes each value by function 5 or 6, and asks for no other function', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(request.pdu[0] === 6 ? exceptionFrame(request, 1) : answerFrame(request));
  });
  const outcomes = await write(
    server,
    { writeFunction: 'SINGLE' },
    [{ table: 'COILS', offset: 0 }, true, 'BOOLEAN'],
    [{ table: 'COILS', offset: 1 }, true, 'BOOLEAN'],
    [{ offset: 4 }, 1],
  );
  assert.deepEqual(codesOf(outcomes), [undefined, undefined, 'MODBUS_ILLEGAL_FUNCTION']);
  assert.deepEqual(requestsOf(server), [
    [5, 0, 0xff00],
    [5, 1, 0xff00],
    [6, 4, 1],
  ]);
});

test('SINGLE refuses a value of two registers, unless it may be split', async () => {
  await using server = await startFaultServer(answer);
  const address = { offset: 4, dataType: 'UINT32' } as const;
  const refused = await write(server, { writeFunction: 'SINGLE' }, [address, 0x10002]);
  assert.equal(
    refused[0]?.failure?.message,
    'the value needs 2 registers, but function code 6 writes one (writeFunction: SINGLE); splitValues: true sends it in parts',
  );
  await write(server, { writeFunction: 'SINGLE', splitValues: true }, [address, 0x10002]);
  assert.deepEqual(requestsOf(server), [
    [6, 4, 1],
    [6, 5, 2],
  ]);
});

test('MULTIPLE of a channel is used for this channel alone', async () => {
  await using server = await startFaultServer(answer);
  await write(server, {}, [{ offset: 4, writeFunction: 'MULTIPLE' }, 1], [{ offset: 5 }, 2]);
  assert.deepEqual(requestsOf(server), [
    [16, 4, 1],
    [6, 5, 2],
  ]);
});

test('joinWrites of a channel and of a unit keep values in requests of their own', async () => {
  await using server = await startFaultServer(answer);
  await write(
    server,
    { units: [{ unitId: 7, joinWrites: false }] },
    [{ offset: 4, joinWrites: false }, 1],
    [{ offset: 5 }, 2],
    [{ unitId: 7, offset: 1 }, 1],
    [{ unitId: 7, offset: 2 }, 2],
    [{ unitId: 7, offset: 3, joinWrites: true }, 3],
  );
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu[0]),
    [6, 6, 6, 6, 6],
  );
});
