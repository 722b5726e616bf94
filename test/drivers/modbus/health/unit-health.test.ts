import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ResponseTimes,
  PROBE_PAUSE_MS,
  probePauseMs,
  probeTimeoutMs,
  slowReportMs,
  trialPauseMs,
  UnitHealth,
} from '../../../../drivers/modbus/health/unit-health.ts';
import type { RequestTimeout } from '../../../../drivers/modbus/health/unit-health.ts';

/** A request that was given up at that time, 1 ms after it was sent. */
function silence(endMs: number): RequestTimeout {
  return { reasons: [], message: 'silent', endMs, durationMs: 1 };
}

test('a unit is suspended by the second silence in a row', () => {
  const health = new UnitHealth(7);
  assert.deepEqual(
    [health.recordTimeout(silence(1)), health.recordTimeout(silence(2))],
    [undefined, 'SUSPENDED'],
  );
});

test('requests that went unanswered at the same time are one silence', () => {
  const health = new UnitHealth(7);
  health.recordTimeout({ reasons: [], message: 'silent', endMs: 1000, durationMs: 1000 });
  assert.equal(
    health.recordTimeout({ reasons: [], message: 'silent', endMs: 1001, durationMs: 1000 }),
    undefined,
  );
});

test('an answer between two silences restarts the count', () => {
  const health = new UnitHealth(7);
  health.recordTimeout(silence(1));
  health.recordResponse();
  assert.equal(health.recordTimeout(silence(2)), undefined);
});

test('a change of state is told once', () => {
  const health = new UnitHealth(7);
  const changes = [
    health.recordResponse(),
    health.recordTimeout(silence(1)),
    health.recordTimeout(silence(2)),
    health.recordTimeout(silence(3)),
    health.recordResponse(),
    health.recordResponse(),
  ];
  assert.deepEqual(changes, [undefined, undefined, 'SUSPENDED', undefined, 'ANSWERING', undefined]);
});

test('a unit that was never heard of is UNKNOWN', () => {
  assert.equal(new UnitHealth(7).status().state, 'UNKNOWN');
});

function timeoutMs(slowestMs: number, gatewayMs = 0): number {
  return probeTimeoutMs({ slowestMs, responseTimeoutMs: 1000, gatewayMs });
}

test('a probe waits four times the slowest recent answer, at least 10 ms, at most the response time-out', () => {
  assert.deepEqual([timeoutMs(0), timeoutMs(20), timeoutMs(400)], [10, 80, 1000]);
});

test('a probe behind a gateway that reports silent units waits for its report', () => {
  assert.deepEqual([timeoutMs(20, 400), timeoutMs(20, 2000)], [500, 1000]);
});

test('probes of an ordinary line take at most 2 % of it', () => {
  for (const slowestMs of [0, 5, 12, 20]) {
    assert.ok(timeoutMs(slowestMs) / PROBE_PAUSE_MS <= 0.02, `${slowestMs} ms`);
  }
});

test('probes behind a gateway that reports silent units late take at most 2 % of the line', () => {
  for (const gatewayMs of [80, 300, 1000]) {
    const timing = { slowestMs: 20, responseTimeoutMs: 1000, gatewayMs, timeoutMs: timeoutMs(20, gatewayMs) };
    assert.ok(gatewayMs / probePauseMs(timing) <= 0.02, `${gatewayMs} ms`);
    assert.equal(trialPauseMs(timing), probePauseMs(timing));
  }
});

test('from one probe to the end of the next pass at most 5 seconds', () => {
  for (const slowestMs of [0, 20, 100, 250]) {
    assert.ok(PROBE_PAUSE_MS + timeoutMs(slowestMs) <= 5000, `${slowestMs} ms`);
  }
});

test('a report is as bad as silence when it takes twice as long as an answer, and at least 50 ms', () => {
  assert.deepEqual([slowReportMs(0), slowReportMs(20), slowReportMs(400)], [50, 50, 800]);
});

test('the typical answer is the median of the newest', () => {
  const times = new ResponseTimes();
  assert.equal(times.typicalMs(), 0);
  for (const durationMs of [900, 20, 30]) times.note(durationMs);
  assert.equal(times.typicalMs(), 30);
});

test('the slowest answer is forgotten when enough newer ones came', () => {
  const times = new ResponseTimes();
  times.note(900);
  for (let count = 0; count < 31; count += 1) times.note(5);
  assert.equal(times.slowestMs(), 900);
  times.note(5);
  assert.equal(times.slowestMs(), 5);
});
