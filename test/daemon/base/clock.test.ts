import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { delay, systemClock } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { standStill } from '../../support/stand-still.ts';

/** Counts the calls that are scheduled and neither stopped nor made yet. */
function createCountingClock(): { readonly clock: ManualClock; readonly pending: () => number } {
  let pending = 0;
  const clock = new (class extends ManualClock {
    override schedule(delayMs: number, action: () => void): () => void {
      pending += 1;
      const cancel = super.schedule(delayMs, () => {
        pending -= 1;
        action();
      });
      return () => {
        pending -= 1;
        cancel();
      };
    }
  })();
  return { clock, pending: () => pending };
}

test('delay resolves when its time has passed and not before', async () => {
  const clock = new ManualClock();
  let isOver = false;
  const waiting = delay(clock, 1000).then(() => (isOver = true));
  clock.advance(999);
  await Promise.resolve();
  assert.equal(isOver, false);
  clock.advance(1);
  await waiting;
});

test('delay rejects with the reason of an abort and leaves nothing scheduled', async () => {
  const { clock, pending } = createCountingClock();
  const controller = new AbortController();
  const waiting = delay(clock, 1000, controller.signal);
  const reason = new Error('stop');
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  assert.equal(pending(), 0);
});

test('delay rejects at once when the signal has aborted already', async () => {
  const { clock, pending } = createCountingClock();
  await assert.rejects(delay(clock, 1000, AbortSignal.abort(new Error('stop'))), /stop/);
  assert.equal(pending(), 0);
});

test('the system clock calls an action once and never one that was stopped', async () => {
  const calls: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.schedule(0, () => calls.push('stopped'))();
    // A pending call does not keep the process alive; this one does.
    const alive = setInterval(() => undefined, 1000);
    systemClock.schedule(1, () => {
      calls.push('made');
      clearInterval(alive);
      resolve();
    });
  });
  assert.deepEqual(calls, ['made']);
});

test('an action that is called late can still be stopped by what came in meanwhile', async () => {
  const calls: string[] = [];
  const alive = setInterval(() => undefined, 1000);
  const cancel = systemClock.schedule(50, () => calls.push('time-out'));
  const server = createServer((socket) => socket.end('x'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', () => {
    calls.push('data');
    cancel();
  });
  await once(socket, 'connect');
  standStill(300);
  await once(socket, 'close');
  server.close();
  clearInterval(alive);
  assert.deepEqual(calls, ['data']);
});

test('the monotonic time of the system clock never goes back', () => {
  const times = Array.from({ length: 1000 }, () => systemClock.monotonicMs());
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('a manual clock makes pending calls in the order in which they fall due', () => {
  const clock: Clock & { advance(ms: number): void } = new ManualClock(0);
  const calls: string[] = [];
  clock.schedule(20, () => calls.push(`b at ${clock.epochMs()}`));
  clock.schedule(10, () => {
    calls.push(`a at ${clock.epochMs()}`);
    clock.schedule(5, () => calls.push(`c at ${clock.epochMs()}`));
  });
  clock.advance(30);
  assert.deepEqual(calls, ['a at 10', 'c at 15', 'b at 20']);
  assert.equal(clock.monotonicMs(), 30);
});
