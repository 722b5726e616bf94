import assert from 'node:assert/strict';

import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import { isInspecting } from '../../../../daemon/channel/driver.ts';
import { startLibmodbusServer } from '../../../support/libmodbus-server.ts';
import { connectDriver, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import type { ModbusProcess } from '../../../support/modbus-process.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { writeValues } from '../../../support/write-values.ts';

const { after, before, test } = testsThatNeed('libmodbus');
let server: ModbusProcess;
before(async () => {
  server = await startLibmodbusServer();
});
after(() => server.close());

const range = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);
const isOdd = (offset: number): boolean => offset % 2 === 1;
// Registers hold their offset.
const bitsFrom = (offset: number, bit: number, count: number): readonly boolean[] =>
  range(bit, count).map((position) => (((offset + (position >> 4)) >> (position & 15)) & 1) === 1);

/** An array, the settings of the connection, the elements and the requests that they cost. */
const ARRAYS: Readonly<
  Record<string, readonly [Partial<ModbusAddress>, object, readonly (boolean | number)[], number]>
> = {
  'of 125 registers': [{ offset: 1000, dataType: 'UINT16', count: 125 }, {}, range(1000, 125), 1],
  'of 126 registers': [{ offset: 1000, dataType: 'UINT16', count: 126 }, {}, range(1000, 126), 2],
  'of 2000 registers': [{ offset: 1000, dataType: 'UINT16', count: 2000 }, {}, range(1000, 2000), 16],
  'of numbers that do not fill a request': [
    { offset: 0, dataType: 'UINT32', count: 70 },
    { maximumRegistersPerRequest: 33 },
    range(0, 70).map((index) => 2 * index * 65_536 + 2 * index + 1),
    5,
  ],
  'of numbers that are longer than a request': [
    { offset: 0, dataType: 'UINT32', count: 2 },
    { maximumRegistersPerRequest: 1 },
    [1, 2 * 65_536 + 3],
    2,
  ],
  'of coils': [
    { table: 'COILS', offset: 3, count: 25 },
    { maximumBitsPerRequest: 10 },
    range(3, 25).map(isOdd),
    3,
  ],
  'of bits in registers': [
    { offset: 0x1234, dataType: 'BOOLEAN', bit: 5, count: 60 },
    { maximumRegistersPerRequest: 2 },
    bitsFrom(0x1234, 5, 60),
    3,
  ],
};

for (const [name, [address, settings, elements, requests]] of Object.entries(ARRAYS)) {
  test(`an array ${name} has its elements in order and costs ${requests} requests`, async () => {
    await using underTest = await connectDriver(server.port, settings);
    const read = underTest.driver.prepareRead([createChannel(address, 'STRING')]);
    await server.countRequests();
    const [reading] = await read.read(noDeadline());
    assert.equal(await server.countRequests(), requests);
    assert.equal(reading?.value, JSON.stringify(elements));
    assert.equal(read.describe?.().length, requests);
  });
}

test('channels beside a long array keep their readings', async () => {
  await using underTest = await connectDriver(server.port, { maximumRegistersPerRequest: 4 });
  const channels = [
    createChannel({ offset: 9 }),
    createChannel({ offset: 10, count: 10 }, 'STRING'),
    createChannel({ offset: 20 }),
    createChannel({ offset: 30, count: 5 }, 'STRING'),
  ];
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    [9, JSON.stringify(range(10, 10)), 20, JSON.stringify(range(30, 5))],
  );
});

test('an array fails as a whole when the device does not have one of its parts', async () => {
  await using underTest = await connectDriver(server.port);
  const channel = createChannel({ offset: 59_800, count: 300 }, 'STRING');
  const [reading, other] = await underTest.driver
    .prepareRead([channel, createChannel({ offset: 5 })])
    .read(noDeadline());
  assert.equal(reading?.failure?.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
  assert.equal(reading.value, undefined);
  assert.equal(other?.value, 5);
});

test('inspect of an array that is longer than a request shows its first elements', async () => {
  await using underTest = await connectDriver(server.port, { maximumRegistersPerRequest: 20 });
  const { driver } = underTest;
  assert.ok(isInspecting(driver));
  const inspection = await driver.inspect(createChannel({ offset: 256, count: 300 }, 'STRING'), noDeadline());
  assert.ok('bytes' in inspection);
  assert.equal(inspection.bytes.length, 40);
  assert.ok(inspection.interpretations.some(({ value }) => value === 0x0100_0101));
});

test('every element of an array that one request writes arrives', async () => {
  await using underTest = await connectDriver(server.port);
  for (const [address, elements] of [
    [{ offset: 2000, count: 123 }, range(500, 123)],
    [{ table: 'COILS', offset: 2000, count: 1968 }, range(0, 1968).map((index) => index % 3 === 0)],
  ] as const) {
    const channel = createChannel(address, 'STRING');
    const value = JSON.stringify(elements);
    await server.countRequests();
    const outcomes = await writeValues(underTest.driver, [{ channel, value }], noDeadline());
    assert.equal(outcomes[0]?.failure, undefined);
    assert.equal(await server.countRequests(), 1);
    const [reading] = await underTest.driver.prepareRead([channel]).read(noDeadline());
    assert.equal(reading?.value, value);
  }
});
