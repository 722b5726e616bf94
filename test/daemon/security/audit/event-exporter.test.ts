import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { ChainedEvent } from '../../../../daemon/security/audit/audit-chain.ts';
import { EventExporter } from '../../../../daemon/security/audit/event-exporter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const NOW_MS = 1_700_000_000_000;

/** An exporter of numbered events to a place that is there or not, which remembers what it has taken. */
function createBench(count: number) {
  const events = Array.from({ length: count }, (_, index): ChainedEvent => ({ id: index + 1, text: '{}' }));
  const clock = new ManualClock(NOW_MS);
  const taken: number[] = [];
  let failure: string | undefined;
  let reached = 0;
  const exporter = new EventExporter({
    audit: {
      get lastId() {
        return events.length;
      },
      readLinks: ({ after, limit }) => events.slice(after, after + limit),
    },
    place: 'syslog',
    cursor: {
      read: () => reached,
      write: (id) => {
        reached = id;
      },
    },
    async send(sent) {
      await setImmediate();
      if (failure !== undefined) throw new Error(failure);
      taken.push(...sent.map(({ id }) => id));
    },
    logger: createMemoryLogger(),
    clock,
  });
  return {
    exporter,
    clock,
    taken,
    fail: (reason: string | undefined) => {
      failure = reason;
    },
    add: () => events.push({ id: events.length + 1, text: '{}' }),
    /** Lets what falls due within a time happen, each to its end. */
    async pass(ms: number) {
      clock.advance(ms);
      for (let turn = 0; turn < 4; turn += 1) await setImmediate();
    },
  };
}

test('an exporter that has sent nothing says how many events wait', async () => {
  const { exporter } = createBench(3);
  assert.deepEqual(
    { ...exporter.status() },
    {
      place: 'syslog',
      state: 'UNKNOWN',
      sinceMs: undefined,
      lastEventId: 0,
      lastTakenAtMs: undefined,
      waitingEvents: 3,
      failures: 0,
      lastError: undefined,
      nextAttemptAtMs: undefined,
    },
  );
  await exporter.stop();
});

test('an exporter says since when a place fails, why, and when it is tried again; then since when it takes', async (t) => {
  const bench = createBench(2);
  const { exporter, clock, taken } = bench;
  t.after(() => exporter.stop());
  bench.fail('connect ECONNREFUSED');
  await exporter.start();
  await bench.pass(0);
  const { state, sinceMs, failures, lastError, nextAttemptAtMs, waitingEvents } = exporter.status();
  assert.deepEqual(
    [state, sinceMs, failures, lastError, nextAttemptAtMs, waitingEvents],
    ['FAILING', NOW_MS, 1, 'connect ECONNREFUSED', NOW_MS + 2000, 2],
  );
  await bench.pass(2000);
  assert.equal(exporter.status().sinceMs, NOW_MS);
  assert.equal(exporter.status().failures, 2);

  bench.fail(undefined);
  await bench.pass(4000);
  const atMs = clock.epochMs();
  await bench.pass(1000);
  bench.add();
  await bench.pass(1000);
  const back = exporter.status();
  assert.deepEqual(
    [
      back.state,
      back.sinceMs,
      back.lastTakenAtMs,
      back.nextAttemptAtMs,
      back.waitingEvents,
      back.lastEventId,
    ],
    ['TAKING', atMs, atMs + 2000, undefined, 0, 3],
  );
  assert.deepEqual(taken, [1, 2, 3]);
});
