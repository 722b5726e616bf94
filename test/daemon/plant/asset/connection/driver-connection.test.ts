import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DriverConnection } from '../../../../../daemon/plant/asset/connection/driver-connection.ts';
import { ConnectionError } from '../../../../../daemon/channel/driver-errors.ts';
import type { PreparedRead } from '../../../../../daemon/channel/driver.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createRefusal, ScriptedDriver } from '../../../../support/scripted-driver.ts';
import { createChannel } from '../channel-fixture.ts';

interface Bench {
  readonly driver: ScriptedDriver;
  readonly connection: DriverConnection;
  readonly clock: ManualClock;
  readonly prepared: PreparedRead;
  /** Events in the log, with their level. */
  readonly events: () => readonly string[];
  /** Values of one read. */
  readonly read: () => Promise<readonly unknown[]>;
}

function createBench(): Bench {
  const driver = new ScriptedDriver();
  driver.values.set('level', 7);
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const connection = new DriverConnection({
    driver,
    endpoint: 'line 1',
    callDeadlineMs: 1000,
    onStateChange: () => undefined,
    logger,
    clock,
    random: () => 0.5,
  });
  const prepared = connection.prepareRead([createChannel()]);
  return {
    driver,
    connection,
    clock,
    prepared,
    events: () => logger.lines.map(({ level, event }) => `${level} ${event}`),
    read: async () => (await connection.read(prepared)).map(({ value }) => value),
  };
}

async function writeLevel(connection: DriverConnection): Promise<unknown> {
  const { steps } = await connection.prepareWrite([{ channel: createChannel(), value: 8 }]);
  return connection.write({ steps, findCancellation: () => undefined });
}

const hasCode = (code: string) => (error: unknown) => {
  assert.ok(error instanceof ConnectionError);
  assert.equal(error.code, code);
  return true;
};

test('nothing connects before the first call', async () => {
  const { driver, connection, read } = createBench();
  assert.equal(driver.connects, 0);
  assert.equal(connection.status().state, 'DISCONNECTED');
  assert.deepEqual(await read(), [7]);
  assert.equal(driver.connects, 1);
  assert.equal(connection.status().state, 'CONNECTED');
});

test('concurrent calls share one attempt to connect', async () => {
  const { driver, read } = createBench();
  driver.hold();
  const reads = [read(), read(), read()];
  await driver.arrived();
  driver.release();
  assert.deepEqual(await Promise.all(reads), [[7], [7], [7]]);
  assert.equal(driver.connects, 1);
});

test('a connected link is used again', async () => {
  const { driver, connection, read } = createBench();
  await read();
  await writeLevel(connection);
  assert.deepEqual(await read(), [8]);
  assert.equal(driver.connects, 1);
});

test('calls that share a failing attempt all get its error, and it is logged once', async () => {
  const { driver, read, events } = createBench();
  driver.connectFault = createRefusal();
  driver.hold();
  const reads = [read(), read(), read()];
  await driver.arrived();
  driver.release();
  for (const pending of reads) await assert.rejects(pending, hasCode('DEVICE_REFUSED'));
  assert.deepEqual(events(), ['warn driver.connectionLost']);
});

test('no attempt is made before the back-off ends, and the error names the time of the next one', async () => {
  const { driver, connection, clock, read } = createBench();
  driver.connectFault = createRefusal();
  await assert.rejects(read, hasCode('DEVICE_REFUSED'));
  clock.advance(100);
  await assert.rejects(read, (error) => {
    hasCode('NOT_CONNECTED')(error);
    assert.match((error as Error).message, /^the device refused; next attempt in 150 ms$/);
    return true;
  });
  assert.equal(driver.connects, 1);
  assert.equal(connection.status().nextAttemptAtMs, clock.epochMs() + 150);
  clock.advance(150);
  await assert.rejects(read, hasCode('DEVICE_REFUSED'));
  assert.equal(driver.connects, 2);
});

test('the back-off grows while attempts fail and starts again after a success', async () => {
  const { driver, connection, clock, read } = createBench();
  const waitMs = (): number => (connection.status().nextAttemptAtMs ?? 0) - clock.epochMs();
  driver.connectFault = createRefusal();
  const waits: number[] = [];
  for (let failure = 0; failure < 5; failure += 1) {
    await assert.rejects(read);
    waits.push(waitMs());
    clock.advance(waitMs());
  }
  assert.deepEqual(waits, [250, 500, 1000, 1600, 1600]);
  driver.connectFault = undefined;
  assert.deepEqual(await read(), [7]);
  assert.equal(connection.status().nextAttemptAtMs, undefined);
  driver.callFault = createRefusal();
  await assert.rejects(read);
  assert.equal(waitMs(), 250);
});

test('the log has one line when a link fails and one when it is restored, and none per attempt', async () => {
  const { driver, clock, read, events } = createBench();
  driver.connectFault = createRefusal();
  for (let failure = 0; failure < 20; failure += 1) {
    await assert.rejects(read);
    await assert.rejects(read);
    clock.advance(2000);
  }
  driver.connectFault = undefined;
  for (let success = 0; success < 20; success += 1) await read();
  assert.equal(driver.connects, 21);
  assert.deepEqual(events(), ['warn driver.connectionLost', 'info driver.connected']);
});

test('a link that is lost while idle is connected again without a pause', async () => {
  const { driver, connection, read, events } = createBench();
  await read();
  driver.lose(new Error('reset by peer'));
  assert.equal(connection.status().state, 'DISCONNECTED');
  assert.equal(connection.status().lastError, 'reset by peer');
  assert.deepEqual(await read(), [7]);
  assert.equal(driver.connects, 2);
  assert.deepEqual(events(), [
    'info driver.connected',
    'debug driver.disconnected',
    'debug driver.connected',
  ]);
});

test('a link that fails during a call is disconnected, and the call is not repeated', async () => {
  const { driver, connection, read } = createBench();
  await read();
  driver.callFault = createRefusal();
  await assert.rejects(read, hasCode('DEVICE_REFUSED'));
  assert.equal(driver.disconnects, 1);
  assert.equal(driver.rounds.length, 2);
  assert.equal(connection.status().state, 'BACKING_OFF');
  assert.equal(connection.status().lastError, 'the device refused');
});

test('calls that fail together count as one failure', async () => {
  const { driver, connection, clock, read, events } = createBench();
  await read();
  driver.callFault = createRefusal();
  for (const result of await Promise.allSettled([read(), read(), read()]))
    assert.equal(result.status, 'rejected');
  assert.equal((connection.status().nextAttemptAtMs ?? 0) - clock.epochMs(), 250);
  assert.deepEqual(events(), ['info driver.connected', 'warn driver.connectionLost']);
});

test('a call ends at its deadline, and the link stays open', async () => {
  const { driver, connection, clock, read } = createBench();
  await read();
  driver.hold();
  const pending = read();
  await driver.arrived();
  clock.advance(1000);
  await assert.rejects(pending, hasCode('DEADLINE_EXCEEDED'));
  assert.equal(connection.status().state, 'CONNECTED');
  assert.equal(driver.disconnects, 0);
});

test('a call ends soon after its deadline even when the driver continues, and reports that its outcome is unknown', async () => {
  const { driver, connection, clock, read } = createBench();
  await read();
  driver.ignoresDeadline = true;
  driver.hold();
  const pending = read();
  await driver.arrived();
  clock.advance(1000);
  clock.advance(1000);
  await assert.rejects(pending, hasCode('DRIVER_OVERDUE'));
  assert.equal(connection.status().state, 'CONNECTED');
  driver.release();
});

test('a failure of an earlier link does not affect the present one', async () => {
  const { driver, connection, read } = createBench();
  await read();
  driver.hold();
  const early = read();
  await driver.arrived();
  driver.lose(new Error('reset by peer'));
  driver.letPass();
  await read();
  driver.callFault = createRefusal();
  driver.release();
  await assert.rejects(early, hasCode('DEVICE_REFUSED'));
  assert.equal(connection.status().state, 'CONNECTED');
});

test('a call ends at its own deadline while it waits for a link', async () => {
  const { driver, connection, clock, read } = createBench();
  driver.hold();
  const early = read();
  await driver.arrived();
  clock.advance(600);
  const late = read();
  clock.advance(400);
  await assert.rejects(early, hasCode('DEADLINE_EXCEEDED'));
  await assert.rejects(late, hasCode('CONNECT_TIMEOUT'));
  assert.equal(connection.status().state, 'BACKING_OFF');
});

test('an attempt to connect to a silent device ends in time, and is repeated later', async () => {
  const { driver, clock, read } = createBench();
  driver.hold();
  const first = read();
  await driver.arrived();
  clock.advance(1000);
  await assert.rejects(first);
  await assert.rejects(read, hasCode('CONNECT_TIMEOUT'));
  await assert.rejects(read, hasCode('NOT_CONNECTED'));
  driver.release();
  clock.advance(250);
  assert.deepEqual(await read(), [7]);
});

test('a TypeError of a driver becomes DRIVER_FAULT, and its text is only logged', async () => {
  const { driver, connection, read, events } = createBench();
  await read();
  driver.callFault = new TypeError("Cannot read properties of undefined (reading 'socket')");
  await assert.rejects(read, (error) => {
    hasCode('DRIVER_FAULT')(error);
    return !(error as ConnectionError).detail.includes('socket');
  });
  assert.ok(!connection.status().lastError?.includes('socket'));
  assert.deepEqual(events(), ['info driver.connected', 'error driver.failed', 'warn driver.connectionLost']);
});

test('a TypeError of a driver while it connects becomes DRIVER_FAULT for all waiting calls, logged once', async () => {
  const { driver, connection, read, events } = createBench();
  driver.connectFault = new TypeError("Cannot read properties of undefined (reading 'socket')");
  for (const result of await Promise.allSettled([read(), read()])) {
    assert.ok(result.status === 'rejected' && hasCode('DRIVER_FAULT')(result.reason));
  }
  assert.ok(!connection.status().lastError?.includes('socket'));
  await assert.rejects(read, (error) => !(error as ConnectionError).detail.includes('socket'));
  assert.deepEqual(events(), ['error driver.failed', 'warn driver.connectionLost']);
});

test('a connection that was closed never connects again', async () => {
  const { driver, connection, read } = createBench();
  await read();
  await connection.close();
  assert.equal(driver.disconnects, 1);
  assert.equal(connection.status().state, 'DISCONNECTED');
  await assert.rejects(read, hasCode('CONNECTION_CLOSED'));
  assert.deepEqual([driver.connects, driver.rounds.length], [1, 1]);
});

test('close ends an attempt to connect, without a failure in the log', async () => {
  const { driver, connection, read, events } = createBench();
  driver.hold();
  const pending = read();
  await driver.arrived();
  await connection.close();
  await assert.rejects(pending, hasCode('CONNECTION_CLOSED'));
  assert.equal(connection.status().state, 'DISCONNECTED');
  assert.deepEqual(events(), []);
});

test('close during an attempt that still succeeds leaves no open link and sends no request', async () => {
  const { driver, connection, read } = createBench();
  driver.hold();
  const pending = read();
  await driver.arrived();
  driver.release();
  await connection.close();
  await assert.rejects(pending, hasCode('CONNECTION_CLOSED'));
  assert.equal(driver.disconnects, 2);
  assert.deepEqual(driver.rounds, []);
});

test('a lost link is lost since its first failure, through all attempts, until there is one again', async () => {
  const { driver, connection, clock, read } = createBench();
  await read();
  driver.callFault = createRefusal();
  await assert.rejects(read);
  const lostSinceMs = clock.epochMs();
  driver.connectFault = createRefusal();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    clock.advance(2000);
    await assert.rejects(read);
    assert.equal(connection.status().lostSinceMs, lostSinceMs);
  }
  clock.advance(2000);
  driver.connectFault = undefined;
  driver.callFault = undefined;
  driver.hold();
  const pending = read();
  assert.equal(connection.status().state, 'CONNECTING');
  assert.equal(connection.status().lostSinceMs, lostSinceMs);
  await driver.arrived();
  driver.release();
  await pending;
  assert.equal(connection.status().lostSinceMs, undefined);
});

test('a call that fails because of close does not count as a lost link', async () => {
  const { driver, connection, read, events } = createBench();
  await read();
  driver.hold();
  const pending = read();
  await driver.arrived();
  driver.callFault = createRefusal();
  await connection.close();
  driver.release();
  await assert.rejects(pending, hasCode('DEVICE_REFUSED'));
  assert.equal(connection.status().state, 'DISCONNECTED');
  assert.deepEqual(events(), ['info driver.connected']);
});

test('status counts connects and shows the counters of the driver', async () => {
  const { connection, driver, read } = createBench();
  await read();
  driver.lose(new Error('gone'));
  await read();
  assert.deepEqual(connection.status().counters, { connects: 2, rounds: 2 });
});

const cutOff = (): ConnectionError =>
  new ConnectionError({ code: 'MODBUS_LINK_LOST', detail: 'the link broke', isCutOff: true });

test('a read that was cut off is repeated once, without a pause; a write is not', async () => {
  const { driver, connection, clock, read } = createBench();
  await read();
  driver.callFault = cutOff();
  driver.hold();
  const repeated = read();
  await driver.arrived();
  driver.release();
  driver.hold();
  // The attempt to connect waits.
  await driver.arrived();
  driver.callFault = undefined;
  driver.release();
  assert.deepEqual(await repeated, [7]);
  assert.deepEqual([driver.connects, driver.disconnects], [2, 1]);
  driver.callFault = cutOff();
  await assert.rejects(writeLevel(connection), hasCode('MODBUS_LINK_LOST'));
  assert.deepEqual(driver.written, []);
  clock.advance(5000);
  await assert.rejects(read, hasCode('MODBUS_LINK_LOST'));
  assert.equal(connection.status().state, 'BACKING_OFF');
});

test('a read that was cut off is not repeated after its deadline', async () => {
  const { driver, clock, read } = createBench();
  await read();
  driver.callFault = cutOff();
  driver.ignoresDeadline = true;
  driver.hold();
  const pending = read();
  await driver.arrived();
  clock.advance(1000);
  driver.release();
  await assert.rejects(pending, hasCode('MODBUS_LINK_LOST'));
  assert.equal(driver.connects, 1);
});
