import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseBrokerAddress } from '../../../../bundles/mqtt/broker/broker-address.ts';

for (const [text, host, port, isSecure] of [
  ['mqtt://192.0.2.9', '192.0.2.9', 1883, false],
  ['mqtts://broker.example', 'broker.example', 8883, true],
  ['mqtts://broker.example:443/', 'broker.example', 443, true],
  ['mqtt://[2001:db8::1]:1884', '2001:db8::1', 1884, false],
] as const) {
  test(`parseBrokerAddress reads ${text}`, () => {
    const { url, ...address } = parseBrokerAddress(text);
    assert.deepEqual(address, { host, port, isSecure });
    assert.equal(url, text.replace(/\/$/, ''));
  });
}

for (const text of [
  '',
  'broker',
  'tcp://a',
  'mqtt://',
  'mqtt://a/b',
  'mqtt://a?b',
  'mqtt://u@a',
  'mqtt://a:99999',
]) {
  test(`parseBrokerAddress refuses "${text}"`, () => {
    assert.throws(() => parseBrokerAddress(text), TypeError);
  });
}
