import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RequestScheduler } from '../../../../drivers/modbus/link/request-scheduler.ts';
import type { ModbusRequest } from '../../../../drivers/modbus/pdu/request.ts';
import { LateResponseGuard } from '../../../../drivers/modbus/link/late-response-guard.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const SETTLE_MS = 100;
const read: ModbusRequest = { functionCode: 3, unitId: 1, offset: 0, quantity: 1 };
const write: ModbusRequest = { functionCode: 6, unitId: 1, offset: 0, register: 1 };

function createSignals() {
  const closing = new AbortController();
  return { closing, signals: { signal: new AbortController().signal, closing: closing.signal } };
}

async function takeTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('where several requests may be under way, writes still come one after another', async () => {
  const turns = new RequestScheduler({ clock: new ManualClock(), depth: 4 });
  const { signals } = createSignals();
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const run = (name: string, request: ModbusRequest): Promise<void> =>
    turns.run(request, signals, async () => {
      begun.push(name);
      await end.promise;
    });
  const all = [run('first write', write), run('second write', write), run('read', read)];
  await takeTurns();
  assert.deepEqual(begun, ['first write', 'read']);
  end.resolve();
  await Promise.all(all);
  assert.deepEqual(begun, ['first write', 'read', 'second write']);
});

test('once one request at a time may be under way, the next waits for it to end, and can be refused', async () => {
  const state = { isOne: false };
  const turns = new RequestScheduler({ clock: new ManualClock(), depth: 3, isOneAtATime: () => state.isOne });
  const { signals } = createSignals();
  const end = Promise.withResolvers<void>();
  const begun: number[] = [];
  const run = (unitId: number, until: Promise<void>): Promise<void> =>
    turns.run({ ...read, unitId }, signals, () => {
      begun.push(unitId);
      return until;
    });
  const before = [run(1, end.promise), run(2, end.promise)];
  await takeTurns();
  assert.deepEqual(begun, [1, 2]);
  end.resolve();
  await Promise.all(before);
  state.isOne = true;
  const next = Promise.withResolvers<void>();
  const first = run(3, next.promise);
  const refused = assert.rejects(run(4, next.promise), /cleared/);
  await takeTurns();
  turns.clear(new Error('cleared'));
  await refused;
  next.resolve();
  await first;
  await run(5, next.promise);
  assert.deepEqual(begun, [1, 2, 3, 5]);
});

test('a unit that settles waits outside the queue while others have their turn', async () => {
  const clock = new ManualClock();
  const settling = new LateResponseGuard(clock, () => SETTLE_MS);
  const turns = new RequestScheduler({ clock, depth: 1, settling });
  const { signals } = createSignals();
  const done: number[] = [];
  const run = (unitId: number): Promise<unknown> =>
    turns.run({ ...read, unitId }, signals, () => Promise.resolve(done.push(unitId)));
  settling.begin(1);
  const all = [run(1), run(2)];
  await takeTurns();
  assert.deepEqual(done, [2]);
  clock.advance(SETTLE_MS);
  await Promise.all(all);
  assert.deepEqual(done, [2, 1]);
});

test('work without a result has its turn once', async () => {
  const clock = new ManualClock();
  const turns = new RequestScheduler({
    clock,
    depth: 1,
    settling: new LateResponseGuard(clock, () => SETTLE_MS),
  });
  let runs = 0;
  await turns.run(read, createSignals().signals, () => {
    runs += 1;
    return Promise.resolve(undefined);
  });
  assert.equal(runs, 1);
});

test('the wait of a unit that settles ends when the line is closed', async () => {
  const clock = new ManualClock();
  const settling = new LateResponseGuard(clock, () => SETTLE_MS);
  const turns = new RequestScheduler({ clock, depth: 1, settling });
  const { closing, signals } = createSignals();
  settling.begin(1);
  const waiting = turns.run(read, signals, () => Promise.resolve());
  closing.abort(new Error('closed'));
  await assert.rejects(waiting, /closed/);
});

test('a request that finds 256 others waiting is refused with MODBUS_QUEUE_FULL', async () => {
  const turns = new RequestScheduler({ clock: new ManualClock(), depth: 1 });
  const { signals } = createSignals();
  const end = Promise.withResolvers<void>();
  const all = [turns.run(read, signals, () => end.promise)];
  for (let count = 0; count < 256; count += 1) all.push(turns.run(read, signals, () => Promise.resolve()));
  await assert.rejects(
    turns.run(read, signals, () => Promise.resolve()),
    { name: 'Unavailable', code: 'MODBUS_QUEUE_FULL' },
  );
  end.resolve();
  await Promise.all(all);
});
