import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAdvising } from '../../../daemon/channel/advising-driver.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import {
  answerPdu,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../support/modbus-fault-server.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

test('a unit with readFunction READ_WRITE is read with function code 23 that writes nothing, the others with 3', async () => {
  await using server = await startFaultServer((request, connection) => {
    const { pdu } = request;
    if (pdu[0] !== 23) return connection.send(createFrame({ ...request, pdu: answerPdu(request) }));
    const answer = answerPdu({ ...request, pdu: Buffer.concat([Buffer.from([3]), pdu.subarray(1)]) });
    answer[0] = 23;
    connection.send(createFrame({ ...request, pdu: answer }));
  });
  const units = [{ unitId: 7, readFunction: 'READ_WRITE' as const }];
  await using underTest = await connectDriver(server.port, { units });
  const channels = [
    createChannel({ unitId: 7, offset: 10 }),
    createChannel({ unitId: 8, offset: 20 }),
    createChannel({ unitId: 7, offset: 30, table: 'INPUT_REGISTERS' }),
  ];
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    [10, 20, 30],
  );
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu.toString('hex')),
    ['17000a0001000a000000', '0300140001', '04001e0001'],
  );
});

test('a refused read with function code 23 fails with the exception', async () => {
  await using server = await startFaultServer((request, connection) =>
    connection.send(exceptionFrame(request, 3)),
  );
  await using underTest = await connectDriver(server.port, { readFunction: 'READ_WRITE' });
  const [reading] = await underTest.driver.prepareRead([createChannel()]).read(noDeadline());
  assert.equal(reading?.failure?.code, 'MODBUS_ILLEGAL_DATA_VALUE');
});

const COUNTERPARTS = [['libmodbus', startLibmodbusServer], ...PYMODBUS_SERVERS] as const;

for (const [name, start] of COUNTERPARTS) {
  test(
    `against ${name} holding registers are read with function code 23 and a scratch register`,
    needs(name),
    async () => {
      const server = await start();
      try {
        await using underTest = await connectDriver(server.port, {
          readFunction: 'READ_WRITE',
          scratchOffset: 900,
        });
        const channels = createRegisterChannels(100, 125);
        const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
        assert.deepEqual(
          readings.map(({ value }) => value),
          channels.map((_, index) => 100 + index),
        );
        const scratch = await underTest.driver
          .prepareRead([createChannel({ offset: 900 })])
          .read(noDeadline());
        assert.equal(scratch[0]?.value, 0);
      } finally {
        await server.close();
      }
    },
  );
}

for (const [name, start] of PYMODBUS_SERVERS) {
  test(`against ${name} in RTU frames function code 23 reads as well`, needs(name), async () => {
    const server = await start('rtu-over-tcp');
    try {
      await using underTest = await connectDriverTo({
        transport: 'rtu-over-tcp',
        host: '127.0.0.1',
        port: server.port,
        readFunction: 'READ_WRITE',
        scratchOffset: 900,
      });
      const channel = createChannel({ offset: 30, dataType: 'BOOLEAN', bit: 0 }, 'BOOLEAN');
      const outcomes = await writeValues(underTest.driver, [{ channel, value: true }], noDeadline());
      assert.equal(outcomes[0]?.failure, undefined);
      const [reading] = await underTest.driver
        .prepareRead([createChannel({ offset: 30 })])
        .read(noDeadline());
      assert.equal(reading?.value, 31);
    } finally {
      await server.close();
    }
  });
}

test('a unit without function code 3 is advised to be read with 23, until it answers', async () => {
  let isKnown = false;
  await using server = await startFaultServer((request, connection) => {
    const answer = createFrame({ ...request, pdu: answerPdu(request) });
    connection.send(isKnown ? answer : exceptionFrame(request, 1));
  });
  await using underTest = await connectDriver(server.port);
  const { driver } = underTest;
  assert.ok(isAdvising(driver));
  const prepared = driver.prepareRead([createChannel({ unitId: 7 })]);
  await prepared.read(noDeadline());
  assert.deepEqual(driver.listAdvice(), [
    'unit 7 does not support function code 3; if it supports function code 23, set readFunction: READ_WRITE',
  ]);
  isKnown = true;
  await prepared.read(noDeadline());
  assert.deepEqual(driver.listAdvice(), []);
});

test('a scratch register is refused where no read writes it', () => {
  const paths = (settings: object): readonly string[] =>
    configSchema.safeParse({ host: 'a', ...settings }).error?.issues.map(({ path }) => path.join('.')) ?? [];
  assert.deepEqual(paths({ scratchOffset: 1 }), ['scratchOffset']);
  assert.deepEqual(paths({ units: [{ unitId: 1, scratchOffset: 1 }] }), ['units.0.scratchOffset']);
  assert.deepEqual(paths({ scratchOffset: 1, readFunction: 'READ_WRITE' }), []);
  assert.deepEqual(paths({ scratchOffset: 1, units: [{ unitId: 1, readFunction: 'READ_WRITE' }] }), []);
});
