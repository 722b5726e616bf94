import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChannelSchema } from '../../../daemon/channel/channel.ts';
import { checkChannel } from '../../../drivers/modbus/check-channel.ts';
import { addressSchema } from '../../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { createFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultRequest } from '../../support/modbus-fault-server.ts';
import { startCurrentPymodbusServer } from '../../support/pymodbus-server.ts';
import { needs } from '../../support/tests-that-need.ts';

/** Records hold file times 1000 plus their number. */
function answerFile(request: FaultRequest): Buffer {
  const { pdu } = request;
  const [file, record, count] = [pdu.readUInt16BE(3), pdu.readUInt16BE(5), pdu.readUInt16BE(7)];
  const answer = Buffer.alloc(4 + 2 * count);
  answer.set([20, 2 + 2 * count, 1 + 2 * count, 6]);
  for (let index = 0; index < count; index += 1) {
    answer.writeUInt16BE(1000 * file + record + index, 4 + 2 * index);
  }
  return createFrame({ ...request, pdu: answer });
}

function inFile(file: number, address: Partial<ModbusAddress>): ReturnType<typeof createChannel> {
  const isText = address.dataType === 'STRING';
  const isBytes = address.dataType === 'BYTES';
  const valueType = isText ? 'STRING' : isBytes ? 'BYTE_ARRAY' : 'INTEGER';
  return createChannel({ table: 'FILE_RECORDS', file, ...address }, valueType);
}

test('records of a file are joined into one request, those of two files never', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFile(request)));
  await using underTest = await connectDriver(server.port, { maximumGap: 2000 });
  const channels = [
    inFile(4, { offset: 1 }),
    inFile(4, { offset: 3 }),
    inFile(5, { offset: 1 }),
    inFile(4, { offset: 2, dataType: 'BYTES', length: 4 }),
  ];
  const prepared = underTest.driver.prepareRead(channels);
  const readings = await prepared.read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    [4001, 4003, 5001, Buffer.from('0fa20fa3', 'hex')],
  );
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu.toString('hex')),
    ['140706000400010003', '140706000500010001'],
  );
  assert.deepEqual(
    prepared.describe?.().map(({ name }) => name),
    ['unit 1 FILE_RECORDS file 4, 1-3', 'unit 1 FILE_RECORDS file 5, 1'],
  );
});

test('one request reads at most 124 records, whatever the settings allow', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFile(request)));
  await using underTest = await connectDriver(server.port);
  const channels = Array.from({ length: 125 }, (_, offset) => inFile(1, { offset }));
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    channels.map((_, index) => 1000 + index),
  );
  assert.equal(server.requests.length, 2);
});

test('a file that the device does not have fails alone', async () => {
  await using server = await startFaultServer((request, connection) => {
    const isKnown = request.pdu.readUInt16BE(3) === 4;
    connection.send(isKnown ? answerFile(request) : exceptionFrame(request, 2));
  });
  await using underTest = await connectDriver(server.port);
  const [known, unknown] = await underTest.driver
    .prepareRead([inFile(4, { offset: 1 }), inFile(9, { offset: 1 })])
    .read(noDeadline());
  assert.equal(known?.value, 4001);
  assert.equal(unknown?.failure?.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
});

for (const [name, start] of [['pymodbus-3.16', startCurrentPymodbusServer]] as const) {
  test(`a text in a file of ${name} is read, over TCP and as RTU frames`, needs(name), async () => {
    for (const transport of ['tcp', 'rtu-over-tcp'] as const) {
      const server = await start(...(transport === 'tcp' ? [] : [transport]));
      try {
        await using underTest = await connectDriverTo({ transport, host: '127.0.0.1', port: server.port });
        const channel = inFile(4, { offset: 1, dataType: 'STRING', length: 20 });
        const [reading] = await underTest.driver.prepareRead([channel]).read(noDeadline());
        assert.equal(reading?.value, 'SERVER DUMMY RECORD.', reading?.failure?.message);
      } finally {
        await server.close();
      }
    }
  });
}

const FAULTS: readonly (readonly [address: object, path: string, message: RegExp])[] = [
  [{ table: 'FILE_RECORDS', offset: 0, dataType: 'UINT16' }, 'file', /is missing/],
  [{ table: 'HOLDING_REGISTERS', file: 4, offset: 0, dataType: 'UINT16' }, 'file', /only FILE_RECORDS/],
  [{ table: 'FILE_RECORDS', file: 0, offset: 0, dataType: 'UINT16' }, 'file', /./],
  [{ table: 'FILE_RECORDS', file: 1, offset: 10_000, dataType: 'UINT16' }, 'offset', /last one is 9999/],
  [
    { table: 'FILE_RECORDS', file: 1, offset: 0, dataType: 'BYTES', length: 249 },
    'length',
    /at most 248 bytes/,
  ],
  [{ table: 'FILE_RECORDS', file: 1, offset: 0 }, 'dataType', /is missing/],
];

for (const [address, path, message] of FAULTS) {
  test(`the address ${JSON.stringify(address)} is refused at ${path}`, () => {
    const issues = addressSchema.safeParse(address).error?.issues ?? [];
    assert.ok(issues.some((issue) => issue.path.join('.') === path && message.test(issue.message)));
  });
}

test('records of files cannot be written', () => {
  const channel = createChannelSchema(addressSchema).parse({
    name: 'log',
    type: 'READ_WRITE',
    valueType: 'STRING',
    address: { table: 'FILE_RECORDS', file: 4, offset: 0, dataType: 'STRING', length: 20 },
  });
  assert.deepEqual(
    checkChannel(channel).map(({ path }) => path.join('.')),
    ['address.table'],
  );
});
