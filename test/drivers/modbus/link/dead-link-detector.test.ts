import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeadLinkDetector } from '../../../../drivers/modbus/link/dead-link-detector.ts';
import { WarmUp } from '../../../../drivers/modbus/health/warm-up.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function miss(
  silence: DeadLinkDetector,
  { isProbe, hears = false }: { isProbe: boolean; hears?: boolean },
): boolean {
  silence.recordRequest();
  if (hears) silence.recordReceived();
  return silence.recordUnanswered(1, isProbe);
}

test('a link is dead when a probe brings nothing after a request that brought nothing', () => {
  const silence = new DeadLinkDetector();
  assert.equal(miss(silence, { isProbe: false }), false);
  assert.equal(miss(silence, { isProbe: true }), true);
});

test('a link does not count as dead from requests of users alone', () => {
  const silence = new DeadLinkDetector();
  assert.equal(miss(silence, { isProbe: false }), false);
  assert.equal(miss(silence, { isProbe: false }), false);
});

test('a link that brings anything is alive, although a request is not answered', () => {
  const silence = new DeadLinkDetector();
  miss(silence, { isProbe: true });
  assert.equal(miss(silence, { isProbe: true, hears: true }), false);
  assert.equal(miss(silence, { isProbe: true }), false);
});

test('a link on which nothing ever came is not dead while its device may have to warm up', () => {
  const clock = new ManualClock();
  const warmUp = new WarmUp(clock);
  const silence = new DeadLinkDetector(warmUp);
  warmUp.begin();
  miss(silence, { isProbe: false });
  clock.advance(9000);
  assert.equal(miss(silence, { isProbe: true }), false);
  clock.advance(1001);
  assert.equal(miss(silence, { isProbe: true }), true);
});
