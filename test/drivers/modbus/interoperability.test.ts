import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const ROUND_TRIPS: readonly (readonly [Partial<ModbusAddress>, ValueType, ChannelValue])[] = [
  [{ table: 'COILS', offset: 300 }, 'BOOLEAN', true],
  [{ offset: 301, dataType: 'INT8' }, 'INTEGER', -5],
  [{ offset: 302, dataType: 'UINT8', byteOrder: 'LITTLE_ENDIAN' }, 'INTEGER', 200],
  [{ offset: 303, dataType: 'INT16' }, 'INTEGER', -32_768],
  [{ offset: 304, dataType: 'UINT16' }, 'INTEGER', 65_535],
  [{ offset: 306, dataType: 'INT32', wordOrder: 'LITTLE_ENDIAN' }, 'INTEGER', -2_000_000_000],
  [{ offset: 308, dataType: 'UINT32' }, 'LONG', 4_000_000_000],
  [{ offset: 312, dataType: 'INT64' }, 'LONG', 9_007_199_254_740_993n],
  [{ offset: 316, dataType: 'UINT64', byteOrder: 'LITTLE_ENDIAN' }, 'LONG', 2n ** 64n - 1n],
  [{ offset: 320, dataType: 'FLOAT32' }, 'FLOAT', Math.fround(12.34)],
  [{ offset: 324, dataType: 'FLOAT64' }, 'DOUBLE', -0.1],
  [{ offset: 330, dataType: 'STRING', length: 9 }, 'STRING', 'Zürich'],
  [{ offset: 340, dataType: 'BYTES', length: 3 }, 'BYTE_ARRAY', Buffer.from([1, 0, 255])],
  [{ offset: 350, dataType: 'BOOLEAN', bit: 9 }, 'BOOLEAN', true],
  [
    { table: 'COILS', offset: 310, count: 11 },
    'STRING',
    `[${'true,false,true,true,'.repeat(2)}false,true,false]`,
  ],
  [{ offset: 360, dataType: 'INT16', count: 3 }, 'STRING', '[-32768,0,32767]'],
  [{ offset: 364, dataType: 'UINT64', count: 2 }, 'STRING', '[18446744073709551615,9007199254740993]'],
  [
    { offset: 372, dataType: 'FLOAT32', wordOrder: 'LITTLE_ENDIAN', count: 4 },
    'STRING',
    '[12.34,"NaN","Infinity",-0.1]',
  ],
  [{ offset: 380, dataType: 'STRING', length: 7, count: 2 }, 'STRING', '["Zürich","\\"a"]'],
];

const SERVERS = [['libmodbus', startLibmodbusServer], ...PYMODBUS_SERVERS] as const;

for (const [name, startServer] of SERVERS) {
  describe(`the driver against ${name}`, () => {
    const { after, before, test } = testsThatNeed(name);
    let server: ModbusProcess;
    let underTest: DriverUnderTest;

    before(async () => {
      server = await startServer();
      underTest = await connectDriver(server.port);
    });
    after(async () => {
      await underTest?.driver.disconnect();
      await server?.close();
    });

    for (const [address, valueType, value] of ROUND_TRIPS) {
      const dataType = address.dataType ?? 'BOOLEAN';
      test(`a ${dataType} at ${address.offset} reads back as it was written`, async () => {
        const channel = createChannel(address, valueType);
        const outcomes = await writeValues(underTest.driver, [{ channel, value }], noDeadline());
        assert.equal(outcomes[0]?.failure, undefined);
        const [reading] = await underTest.driver.prepareRead([channel]).read(noDeadline());
        assert.deepEqual(reading?.value, value);
      });
    }

    for (const settings of [
      { maximumRegistersPerRequest: 4, splitValues: true },
      { writeFunction: 'SINGLE', splitValues: true },
      { writeFunction: 'MULTIPLE', joinWrites: false },
    ] as const) {
      test(`values read back as they were written with ${JSON.stringify(settings)}`, async () => {
        await using limited = await connectDriver(server.port, settings);
        const written = [
          {
            channel: createChannel({ offset: 360, dataType: 'STRING', length: 19 }, 'STRING'),
            value: 'Zürich',
          },
          { channel: createChannel({ offset: 370, dataType: 'UINT32' }, 'LONG'), value: 4_000_000_000 },
          { channel: createChannel({ offset: 372 }), value: 7 },
          { channel: createChannel({ table: 'COILS', offset: 372 }, 'BOOLEAN'), value: true },
        ];
        const outcomes = await writeValues(limited.driver, written, noDeadline());
        assert.deepEqual(
          outcomes.map(({ failure }) => failure),
          [undefined, undefined, undefined, undefined],
        );
        const prepared = limited.driver.prepareRead(written.map(({ channel }) => channel));
        assert.deepEqual(
          valuesOf(await prepared.read(noDeadline())),
          written.map(({ value }) => value),
        );
      });
    }

    test('every table brings its own values', async () => {
      const channels = [
        createChannel({ table: 'COILS', offset: 21 }),
        createChannel({ table: 'DISCRETE_INPUTS', offset: 22 }),
        createChannel({ table: 'INPUT_REGISTERS', offset: 23 }),
        createChannel({ table: 'HOLDING_REGISTERS', offset: 24 }),
      ];
      const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
      assert.deepEqual(valuesOf(readings), [true, false, 23, 24]);
    });

    for (const [count, requests] of [
      [10, 1],
      [100, 1],
      [125, 1],
      [126, 2],
    ] as const) {
      test(`${count} contiguous registers cost exactly ${requests} requests`, async () => {
        const read = underTest.driver.prepareRead(createRegisterChannels(100, count));
        await server.countRequests();
        const readings = await read.read(noDeadline());
        assert.equal(await server.countRequests(), requests);
        assert.ok(readings.every(({ failure }) => failure === undefined));
      });
    }

    test('a joined write of neighbours costs one request and every value arrives', async () => {
      const channels = createRegisterChannels(600, 100);
      await server.countRequests();
      await writeValues(
        underTest.driver,
        channels.map((channel, index) => ({ channel, value: index + 7 })),
        noDeadline(),
      );
      assert.equal(await server.countRequests(), 1);
      const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
      assert.deepEqual(
        valuesOf(readings),
        channels.map((_, index) => index + 7),
      );
    });

    test('coils beyond a multiple of eight bring only the states that were asked for', async () => {
      const channels = Array.from({ length: 11 }, (_, index) =>
        createChannel({ table: 'DISCRETE_INPUTS', offset: 40 + index }, 'BOOLEAN'),
      );
      const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
      assert.deepEqual(
        valuesOf(readings),
        channels.map((_, index) => index % 2 === 1),
      );
    });
  });
}

describe('the driver against libmodbus, whole address space', () => {
  const { after, before, test } = testsThatNeed('libmodbus');
  let server: ModbusProcess;
  let underTest: DriverUnderTest;

  before(async () => {
    server = await startLibmodbusServer();
    underTest = await connectDriver(server.port);
  });
  after(async () => {
    await underTest?.driver.disconnect();
    await server?.close();
  });

  test('1000 contiguous registers cost exactly 8 requests', async () => {
    const read = underTest.driver.prepareRead(createRegisterChannels(0, 1000));
    await server.countRequests();
    const readings = await read.read(noDeadline());
    assert.equal(await server.countRequests(), 8);
    assert.deepEqual(
      valuesOf(readings),
      Array.from({ length: 1000 }, (_, index) => index),
    );
  });

  test('4000 contiguous coils cost exactly 2 requests', async () => {
    const channels = Array.from({ length: 4000 }, (_, offset) =>
      createChannel({ table: 'COILS', offset }, 'BOOLEAN'),
    );
    const read = underTest.driver.prepareRead(channels);
    await server.countRequests();
    await read.read(noDeadline());
    assert.equal(await server.countRequests(), 2);
  });

  test('registers that the device does not have fail alone, and the next read joins the others again', async () => {
    const read = underTest.driver.prepareRead(createRegisterChannels(59_990, 21));
    const readings = await read.read(noDeadline());
    const codes = readings.map(({ failure }) => failure?.code);
    assert.deepEqual(codes.slice(0, 10), Array.from({ length: 10 }));
    assert.deepEqual(codes.slice(10, 20), Array(10).fill('MODBUS_ILLEGAL_DATA_ADDRESS'));
    assert.equal(readings[20]?.value, 60_010);
    await server.countRequests();
    const again = await read.read(noDeadline());
    assert.equal(await server.countRequests(), 3);
    assert.deepEqual(valuesOf(again), valuesOf(readings));
  });

  test('a search for many missing registers is spread over several reads', async () => {
    const channels = Array.from({ length: 200 }, (_, index) =>
      createChannel({ unitId: (index % 20) + 1, offset: 59_995 + Math.floor(index / 20) }),
    );
    const read = underTest.driver.prepareRead(channels);
    await server.countRequests();
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await read.read(noDeadline());
      counts.push(await server.countRequests());
    }
    assert.ok(
      counts.every((count) => count <= 20 + 2 * 64),
      counts.join(),
    );
    assert.equal(counts.at(-1), 40);
    const readings = await read.read(noDeadline());
    assert.equal(readings.filter(({ failure }) => failure === undefined).length, 100);
  });

  test('the joined plan is tried again on a new link', async () => {
    const read = underTest.driver.prepareRead(createRegisterChannels(59_999, 2));
    await read.read(noDeadline());
    await server.countRequests();
    await read.read(noDeadline());
    const refined = await server.countRequests();
    await underTest.driver.connect(noDeadline(), () => undefined);
    await read.read(noDeadline());
    assert.deepEqual([refined, await server.countRequests()], [2, 3]);
  });

  test('a joined write into a hole writes the values that have a register', async () => {
    const channels = createRegisterChannels(59_998, 4);
    const outcomes = await writeValues(
      underTest.driver,
      channels.map((channel) => ({ channel, value: 5 })),
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map(({ failure }) => failure?.code),
      [undefined, undefined, 'MODBUS_ILLEGAL_DATA_ADDRESS', 'MODBUS_ILLEGAL_DATA_ADDRESS'],
    );
  });

  test('the units of an exception are named in the message', async () => {
    const [reading] = await underTest.driver
      .prepareRead([createChannel({ unitId: 7, offset: 60_000 })])
      .read(noDeadline());
    assert.equal(reading?.failure?.message, 'unit 7 returned exception 02 ILLEGAL DATA ADDRESS');
  });
});

function valuesOf(readings: readonly Reading[]): readonly (ChannelValue | undefined)[] {
  return readings.map(({ value }) => value);
}
