import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeRead, silentIntervalMs } from '../../../../drivers/modbus/read/plan-report.ts';
import type { LineSpeed, ReportedRead } from '../../../../drivers/modbus/read/plan-report.ts';
import { startLibmodbusServer } from '../../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../../support/modbus-process.ts';
import { connectDriver, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';

const TEN_REGISTERS: ReportedRead = {
  unitId: 1,
  table: 'HOLDING_REGISTERS',
  offset: 100,
  quantity: 10,
  spans: [
    { unitId: 1, table: 'HOLDING_REGISTERS', offset: 100, quantity: 2, name: 'flow' },
    { unitId: 1, table: 'HOLDING_REGISTERS', offset: 109, quantity: 1, name: 'level' },
  ],
};
const EVEN_9600: LineSpeed = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'even' };

const withServer = testsThatNeed('libmodbus');
let server: ModbusProcess;
withServer.before(async () => {
  server = await startLibmodbusServer();
});
withServer.after(() => server.close());

test('describeRead names unit, table and addresses, and the channels that the answer brings', () => {
  const { name, channels } = describeRead(TEN_REGISTERS, { framing: 'MBAP', delayBetweenRequestsMs: 0 });
  assert.deepEqual([name, channels], ['unit 1 HOLDING_REGISTERS 100-109', ['flow', 'level']]);
  const single = { ...TEN_REGISTERS, quantity: 1 };
  const described = describeRead(single, { framing: 'MBAP', delayBetweenRequestsMs: 0 });
  assert.equal(described.name, 'unit 1 HOLDING_REGISTERS 100');
});

// The frames are those of the standards: 12 and 9 + 20 bytes of Modbus TCP, 8 and 5 + 20 of RTU, 17 and 11 + 40 of ASCII.
for (const [framing, requestBytes, answerBytes] of [
  ['MBAP', 12, 29],
  ['RTU', 8, 25],
  ['ASCII', 17, 51],
] as const) {
  test(`describeRead counts the bytes of ${framing} frames`, () => {
    const described = describeRead(TEN_REGISTERS, { framing, delayBetweenRequestsMs: 0 });
    assert.deepEqual([described.requestBytes, described.answerBytes], [requestBytes, answerBytes]);
  });
}

test('describeRead counts eight bits of a bit table as one byte', () => {
  const coils = { ...TEN_REGISTERS, table: 'COILS' } as const;
  assert.equal(describeRead(coils, { framing: 'RTU', delayBetweenRequestsMs: 0 }).answerBytes, 3 + 2 + 2);
});

test('describeRead returns the time on a serial line with both silent intervals, and none over TCP', () => {
  const at9600 = { framing: 'RTU', speed: EVEN_9600, delayBetweenRequestsMs: 0 } as const;
  // 33 + 7 characters of 11 bits.
  assert.equal(describeRead(TEN_REGISTERS, at9600).wireMs?.toFixed(3), ((40 * 11) / 9.6).toFixed(3));
  const tcp = describeRead(TEN_REGISTERS, { framing: 'MBAP', delayBetweenRequestsMs: 0 });
  assert.equal(tcp.wireMs, undefined);
});

test('describeRead counts a pause between requests instead of a shorter silent interval', () => {
  const wire = { framing: 'RTU', speed: EVEN_9600, delayBetweenRequestsMs: 50 } as const;
  assert.equal(describeRead(TEN_REGISTERS, wire).wireMs?.toFixed(3), ((36.5 * 11) / 9.6 + 50).toFixed(3));
});

test('silentIntervalMs is 3.5 characters, and 1.75 ms above 19200 baud', () => {
  assert.equal(silentIntervalMs(EVEN_9600).toFixed(3), ((3.5 * 11) / 9.6).toFixed(3));
  assert.equal(silentIntervalMs({ ...EVEN_9600, baudRate: 115_200 }), 1.75);
});

withServer.test(
  'a prepared read describes its requests, with the time that each took once it was sent',
  async () => {
    await using setup = await connectDriver(server.port);
    const channels = [
      createChannel({ offset: 7 }),
      createChannel({ offset: 8 }),
      createChannel({ offset: 300 }),
    ];
    const prepared = setup.driver.prepareRead(channels);
    const planned = prepared.describe?.() ?? [];
    assert.deepEqual(
      planned.map(({ name, measuredMs }) => [name, measuredMs]),
      [
        ['unit 1 HOLDING_REGISTERS 7-8', undefined],
        ['unit 1 HOLDING_REGISTERS 300', undefined],
      ],
    );
    await prepared.read(noDeadline());
    const later = prepared.describe?.() ?? [];
    assert.deepEqual(
      later.map(({ channels: names }) => names),
      [['HOLDING_REGISTERS 7', 'HOLDING_REGISTERS 8'], ['HOLDING_REGISTERS 300']],
    );
    assert.ok(later.every(({ measuredMs = 0 }) => measuredMs > 0));
  },
);

withServer.test(
  'a prepared read that detected of missing addresses describes the requests that it sends now',
  async () => {
    await using setup = await connectDriver(server.port);
    const channels = [createChannel({ offset: 59_999 }), createChannel({ offset: 60_000 })];
    const prepared = setup.driver.prepareRead(channels);
    await prepared.read(noDeadline());
    assert.deepEqual(
      prepared.describe?.().map(({ name }) => name),
      ['unit 1 HOLDING_REGISTERS 59999', 'unit 1 HOLDING_REGISTERS 60000'],
    );
  },
);
