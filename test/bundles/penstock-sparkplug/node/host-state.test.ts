import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  HostSession,
  HostState,
  parseState,
} from '../../../../bundles/penstock-sparkplug/node/host-state.ts';

for (const [text, expected] of [
  ['{"online":true,"timestamp":5}', { isOnline: true, timestampMs: 5 }],
  ['{"online":false,"timestamp":5,"more":1}', { isOnline: false, timestampMs: 5 }],
  ['ONLINE', undefined],
  ['{"online":"true","timestamp":5}', undefined],
  ['{"online":true}', undefined],
  ['{"online":true,"timestamp":"5"}', undefined],
  ['{"online":true,"timestamp":1e400}', undefined],
  ['null', undefined],
  ['', undefined],
] as const) {
  test(`parseState reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseState(Buffer.from(text)), expected);
  });
}

test('bytes that are no UTF-8 are no state', () => {
  assert.equal(parseState(Uint8Array.of(0xff)), undefined);
});

test('a message counts if it is not older than the one before', () => {
  const host = new HostState();
  assert.equal(host.isOnline, undefined);
  assert.ok(host.accept({ isOnline: true, timestampMs: 10 }));
  assert.equal(host.accept({ isOnline: false, timestampMs: 9 }), false);
  assert.equal(host.isOnline, true);
  assert.ok(host.accept({ isOnline: false, timestampMs: 10 }));
  assert.equal(host.isOnline, false);
  assert.equal(host.accept({ isOnline: true, timestampMs: 5 }), false);
  assert.equal(host.isOnline, false);
});

test('without an earlier message any offline counts', () => {
  const host = new HostState();
  assert.ok(host.accept({ isOnline: false, timestampMs: -5 }));
  assert.equal(host.isOnline, false);
});

test('a newer time or another broker is another session of the host', () => {
  const session = new HostSession();
  assert.equal(session.begin('mqtt://one', 10), false);
  assert.equal(session.begin('mqtt://one', 10), false);
  assert.equal(session.begin('mqtt://one', 11), true);
  assert.equal(session.begin('mqtt://two', 11), true);
  assert.equal(session.begin('mqtt://two', 11), false);
});
