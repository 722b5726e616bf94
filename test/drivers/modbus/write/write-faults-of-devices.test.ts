import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { Asset } from '../../../../daemon/plant/asset/asset.ts';
import { LastWrites, lastWriteMigrations } from '../../../../daemon/plant/asset/write/last-writes.ts';
import type { ChannelWrite } from '../../../../daemon/plant/asset/write/prepared-write.ts';
import { systemClock } from '../../../../daemon/base/clock.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import type { ChannelRecord } from '../../../../daemon/channel/channel-record.ts';
import type { ModbusProcess } from '../../../support/modbus-process.ts';
import { openPlant } from '../../../support/plant-under-test.ts';
import { PYMODBUS_SERVERS } from '../../../support/pymodbus-server.ts';
import { startInstrument } from '../../../support/serial-instrument.ts';
import { openSerialPair } from '../../../support/serial-pair.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';

// Of the value of an interlock.
const AGE_MS = 2;
const ADDRESS = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 10, dataType: 'UINT16' };

const setpoint = (write: object): object => ({
  name: 'setpoint',
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: ADDRESS,
  write,
});

const driver = (pid: string, { port }: ModbusProcess, more: object = {}): object => ({
  pid,
  type: 'modbus',
  host: '127.0.0.1',
  port,
  responseTimeoutMs: 300,
  ...more,
});

const write = (value: number): readonly ChannelWrite[] => [{ name: 'setpoint', valueType: 'INTEGER', value }];

const summarize = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.flatMap(({ outcome, failure, readBack }) =>
    [outcome, failure?.code, readBack].filter((part) => part !== undefined),
  );

const held = async (asset: Asset): Promise<unknown> => (await asset.read(['setpoint'])).records[0]?.value;

for (const [name, startServer] of PYMODBUS_SERVERS) {
  const { test } = testsThatNeed(name);
  const start = async (t: TestContext): Promise<ModbusProcess> => {
    const server = await startServer();
    t.after(() => server.close());
    return server;
  };

  test(`${name}: nothing is written while the device of an interlock is silent, or gone`, async (t) => {
    const [pump, guard] = [await start(t), await startServer()];
    let isClosed = false;
    t.after(() => (isClosed ? undefined : guard.close()));
    const onlyIf = [{ asset: 'door', channel: 'setpoint', value: 10 }];
    const registry = await openPlant(t, {
      drivers: [driver('line', pump), driver('guard', guard)],
      assets: [
        { pid: 'pump', driver: 'line', channels: [setpoint({ onlyIf })] },
        { pid: 'door', driver: 'guard', channels: [setpoint({})] },
      ],
    });
    const asset = registry.get('pump');
    assert.deepEqual(summarize(await asset.write(write(20))), ['ACKNOWLEDGED']);
    guard.hold();
    assert.deepEqual(summarize(await asset.write(write(30))), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
    guard.goOn();
    await guard.close();
    isClosed = true;
    assert.deepEqual(summarize(await asset.write(write(30))), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
    assert.equal(await held(asset), 20);
  });

  test(`${name}: nothing is written when the value of an interlock, whose device is silent since, is too old at the turn of the write`, async (t) => {
    const [pump, guard] = [await start(t), await start(t)];
    const onlyIf = [{ asset: 'door', channel: 'setpoint', value: 10, maximumAgeMs: AGE_MS }];
    const other = { ...setpoint({}), name: 'other', address: { ...ADDRESS, offset: 11 } };
    const registry = await openPlant(t, {
      drivers: [driver('line', pump, { responseTimeoutMs: 10_000 }), driver('guard', guard)],
      assets: [
        { pid: 'pump', driver: 'line', channels: [setpoint({ onlyIf }), other] },
        { pid: 'door', driver: 'guard', channels: [setpoint({})] },
      ],
    });
    const [asset, door] = [registry.get('pump'), registry.get('door')];
    assert.equal(await held(asset), 10);
    assert.equal(await held(door), 10);
    const countRequests = (each: Asset): number => each.connection.status().counters['requests'] ?? 0;
    const [sent, asked] = [countRequests(asset), countRequests(door)];

    pump.hold();
    const earlier = asset.write([{ name: 'other', valueType: 'INTEGER', value: 5 }]);
    while (countRequests(asset) === sent) await setImmediate();
    const waiting = asset.write(write(20));
    while (countRequests(door) === asked) await setImmediate();
    // Answered after the condition was.
    await held(door);
    guard.hold();
    const readMs = systemClock.epochMs();
    while (systemClock.epochMs() <= readMs + AGE_MS) await setImmediate();
    pump.goOn();
    assert.deepEqual(summarize(await earlier), ['ACKNOWLEDGED']);
    const [record] = await waiting;
    assert.deepEqual(summarize(record === undefined ? [] : [record]), [
      'NOT_SENT',
      'WRITE_CONDITION_UNKNOWN',
    ]);
    assert.match(record?.failure?.message ?? '', /door setpoint is \d+ ms old; maximum 2 ms/);
    assert.equal(await held(asset), 10);
  });

  test(`${name}: a device that carries a write out late is waited for, and the write is verified`, async (t) => {
    const pump = await start(t);
    const registry = await openPlant(t, {
      drivers: [driver('line', pump, { responseTimeoutMs: 500 })],
      assets: [{ pid: 'pump', driver: 'line', channels: [setpoint({ verify: { withinMs: 10_000 } })] }],
    });
    const asset = registry.get('pump');
    assert.equal(await held(asset), 10);
    const { timeouts: before = 0 } = asset.connection.status().counters;
    pump.hold();
    const written = asset.write(write(42));
    while ((asset.connection.status().counters['timeouts'] ?? 0) === before) await setImmediate();
    pump.goOn();
    assert.deepEqual(summarize(await written), ['VERIFIED', 42]);
  });

  test(`${name}: of two writers at once one is within the rate, also after a restart`, async (t) => {
    const pump = await start(t);
    const file = path.join(createTemporaryDirectory(t), 'writes.db');
    const open = async () => {
      const store = openStore(file, [lastWriteMigrations]);
      const document = {
        drivers: [driver('line', pump)],
        // The first write is free; the next change of 100 needs more than a day.
        assets: [{ pid: 'pump', driver: 'line', channels: [setpoint({ maximumChangePerSecond: 0.001 })] }],
      };
      const registry = await openPlant(t, document, new LastWrites({ store, clock: systemClock }));
      return { asset: registry.get('pump'), stop: () => registry.stop().then(() => store.close()) };
    };
    const first = await open();
    const records = await Promise.all([first.asset.write(write(100)), first.asset.write(write(200))]);
    const outcomes = records.map((list) => list[0]?.outcome ?? '').sort();
    assert.deepEqual(outcomes, ['ACKNOWLEDGED', 'NOT_SENT']);
    const taken = await held(first.asset);
    await first.stop();
    const second = await open();
    assert.deepEqual(summarize(await second.asset.write(write(400))), ['NOT_SENT', 'WRITE_RATE_EXCEEDED']);
    assert.equal(await held(second.asset), taken);
    await second.stop();
  });

  const { test: testSerial } = testsThatNeed(name, 'python3', 'socat');

  testSerial(
    `${name}: an instrument on a serial line that does not answer is no interlock that holds`,
    async (t) => {
      const pump = await start(t);
      await using pair = await openSerialPair();
      await using scale = await startInstrument('scale', pair.instrument);
      const address = { request: 'SP?\\r\\n', response: { pattern: '^SP (.*)$' } };
      const framing = { type: 'delimiter', delimiter: '\\r\\n' };
      const onlyIf = [{ asset: 'scale', channel: 'weight', operator: 'GREATER_THAN', value: -1 }];
      const registry = await openPlant(t, {
        drivers: [
          driver('line', pump),
          { pid: 'serial', type: 'serial', device: pair.gateway, framing, responseTimeoutMs: 300 },
        ],
        assets: [
          { pid: 'pump', driver: 'line', channels: [setpoint({ onlyIf })] },
          {
            pid: 'scale',
            driver: 'serial',
            channels: [{ name: 'weight', type: 'READ', valueType: 'DOUBLE', address }],
          },
        ],
      });
      const asset = registry.get('pump');
      assert.deepEqual(summarize(await asset.write(write(20))), ['ACKNOWLEDGED']);
      scale.hold();
      assert.deepEqual(summarize(await asset.write(write(30))), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
      scale.goOn();
      assert.equal(await held(asset), 20);
    },
  );
}
