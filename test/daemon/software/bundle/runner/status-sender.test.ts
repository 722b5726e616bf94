import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { GatewayLink } from '../../../../../daemon/software/bundle/runner/gateway-link.ts';
import { StatusSender } from '../../../../../daemon/software/bundle/runner/status-sender.ts';

function createBench() {
  const sent: unknown[] = [];
  const link: GatewayLink = {
    call: () => Promise.reject(new Error('it is not called')),
    notify: (_method, params) => void sent.push(params),
  };
  return { sender: new StatusSender(link), sent };
}

test('the first report is sent at once, and of those within a second the last one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sender, sent } = createBench();
  sender.report({ state: 'OK', counters: { sent: 1 } });
  sender.report({ state: 'WARNING', detail: 'slow' });
  sender.report({ state: 'ERROR', detail: 'two\n lines ' });
  assert.equal(sent.length, 1);
  t.mock.timers.tick(1000);
  assert.deepEqual(sent, [
    { state: 'OK', detail: undefined, counters: { sent: 1 }, checks: undefined },
    { state: 'ERROR', detail: 'two lines', counters: undefined, checks: undefined },
  ]);
  t.mock.timers.tick(5000);
  assert.equal(sent.length, 2);
});

test('what exceeds 200 characters of the detail is cut off', () => {
  const { sender, sent } = createBench();
  sender.report({ state: 'OK', detail: 'x'.repeat(300) });
  assert.deepEqual(sent, [{ state: 'OK', detail: 'x'.repeat(200), counters: undefined, checks: undefined }]);
});

test('a report with other counters is refused', () => {
  const { sender, sent } = createBench();
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`c${index}`, index]));
  for (const counters of [{ 'not camel': 1 }, { sent: Number.NaN }, many])
    assert.throws(() => sender.report({ state: 'OK', counters }), TypeError);
  assert.deepEqual(sent, []);
});

test('checks are sent with their remedies, as one line each, and at most 32 of them', () => {
  const { sender, sent } = createBench();
  const check = {
    name: 'broker\n one',
    state: 'ERROR',
    detail: 'x'.repeat(300),
    remedy: 'try\tthis',
  } as const;
  sender.report({ state: 'ERROR', checks: Array.from({ length: 40 }, () => check) });
  const [report] = sent as { readonly checks: readonly object[] }[];
  assert.equal(report?.checks.length, 32);
  assert.deepEqual(report.checks[0], {
    name: 'broker one',
    state: 'ERROR',
    detail: 'x'.repeat(200),
    remedy: 'try this',
  });
});

test('a check without a name is refused', () => {
  const { sender, sent } = createBench();
  assert.throws(
    () => sender.report({ state: 'OK', checks: [{ name: ' ', state: 'OK', detail: 'well' }] }),
    /needs a name/,
  );
  assert.deepEqual(sent, []);
});

test('German words are sent with the report and its checks, as one line each', () => {
  const { sender, sent } = createBench();
  const check = { name: 'server', state: 'ERROR', detail: 'refused', de: { detail: 'abge\nlehnt' } } as const;
  sender.report({ state: 'ERROR', detail: 'refused', de: { detail: 'x'.repeat(300) }, checks: [check] });
  const checks = [{ ...check, de: { detail: 'abge lehnt' } }];
  const de = { detail: 'x'.repeat(200) };
  assert.deepEqual(sent, [{ state: 'ERROR', detail: 'refused', counters: undefined, checks, de }]);
});
