import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AnswerTimes,
  PROBE_PAUSE_MS,
  probeTimeoutMs,
  silenceMs,
  UnitHealth,
} from '../../../drivers/modbus/unit-health.ts';
import type { Silence } from '../../../drivers/modbus/unit-health.ts';

/** A request that was given up at that time, 1 ms after it was sent. */
function silence(endMs: number): Silence {
  return { message: 'silent', endMs, durationMs: 1 };
}

test('a unit is suspended by the second silence in a row', () => {
  const health = new UnitHealth(7);
  assert.deepEqual(
    [health.noteSilence(silence(1)), health.noteSilence(silence(2))],
    [undefined, 'SUSPENDED'],
  );
});

test('requests that went unanswered at the same time are one silence', () => {
  const health = new UnitHealth(7);
  health.noteSilence({ message: 'silent', endMs: 1000, durationMs: 1000 });
  assert.equal(health.noteSilence({ message: 'silent', endMs: 1001, durationMs: 1000 }), undefined);
});

test('an answer between two silences restarts the count', () => {
  const health = new UnitHealth(7);
  health.noteSilence(silence(1));
  health.noteAnswer();
  assert.equal(health.noteSilence(silence(2)), undefined);
});

test('a change of state is told once', () => {
  const health = new UnitHealth(7);
  const changes = [
    health.noteAnswer(),
    health.noteSilence(silence(1)),
    health.noteSilence(silence(2)),
    health.noteSilence(silence(3)),
    health.noteAnswer(),
    health.noteAnswer(),
  ];
  assert.deepEqual(changes, [undefined, undefined, 'SUSPENDED', undefined, 'ANSWERING', undefined]);
});

test('a unit that was never heard of is UNKNOWN', () => {
  assert.equal(new UnitHealth(7).status().state, 'UNKNOWN');
});

test('a probe waits four times the slowest recent answer, at least 10 ms, at most the response time-out', () => {
  assert.deepEqual(
    [probeTimeoutMs(0, 1000), probeTimeoutMs(20, 1000), probeTimeoutMs(400, 1000)],
    [10, 80, 1000],
  );
});

test('probes of an ordinary line take at most 2 % of it', () => {
  for (const slowestMs of [0, 5, 12, 20]) {
    assert.ok(probeTimeoutMs(slowestMs, 1000) / PROBE_PAUSE_MS <= 0.02, `${slowestMs} ms`);
  }
});

test('from one probe to the end of the next pass at most 5 seconds', () => {
  for (const slowestMs of [0, 20, 100, 250]) {
    assert.ok(PROBE_PAUSE_MS + probeTimeoutMs(slowestMs, 1000) <= 5000, `${slowestMs} ms`);
  }
});

test('an answer is as bad as none when it takes as long as a probe would wait, and at least 50 ms', () => {
  assert.deepEqual([silenceMs(0, 1000), silenceMs(20, 1000), silenceMs(400, 1000)], [50, 80, 1000]);
});

test('the slowest answer is forgotten when enough newer ones came', () => {
  const times = new AnswerTimes();
  times.note(900);
  for (let count = 0; count < 31; count += 1) times.note(5);
  assert.equal(times.slowestMs(), 900);
  times.note(5);
  assert.equal(times.slowestMs(), 5);
});
