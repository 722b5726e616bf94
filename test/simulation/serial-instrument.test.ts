import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createSerialDriverFactory } from '../../drivers/serial/serial-driver.ts';
import { soakPart } from './devices/part-soak.ts';
import type { CreatePart } from './devices/part-soak.ts';
import { createSerialPart } from './devices/serial/serial-part.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';

const HOUR_MS = 3_600_000;

const create: CreatePart = ({ time, random }) => {
  const network = new SimulatedNetwork({ time, random: random.branch('network') });
  const part = createSerialPart({
    time,
    random,
    network,
    pid: 'scale',
    firstPoint: 1,
    meanFaultMs: HOUR_MS / 3,
  });
  return { part, factory: createSerialDriverFactory(network) };
};

test('values of a simulated instrument are true, and writes are carried out once, when nothing fails', async () => {
  for (const seed of ['calm', 'still', 'quiet', 'silent', 'peaceful', 'even']) {
    const { broken, counts } = await soakPart(create, { seed, lengthMs: HOUR_MS / 6, hasFaults: false });
    assert.equal(broken, undefined);
    assert.equal(counts.failures + counts.unknown + counts.notWritten, 0, JSON.stringify(counts));
    assert.ok(counts.values > 1000 && counts.written > 100, JSON.stringify(counts));
  }
});

for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
  test(`values of an instrument that fails are true for an hour, seed ${seed}`, async () => {
    const { broken, counts } = await soakPart(create, { seed, lengthMs: HOUR_MS });
    assert.equal(broken, undefined);
    assert.ok(counts.failures > 0 && counts.values > 0, JSON.stringify(counts));
  });
}

test('two runs of one seed are the same', async () => {
  const options = { seed: 'twice', lengthMs: HOUR_MS / 4 };
  const [first, second] = [await soakPart(create, options), await soakPart(create, options)];
  assert.equal(first.digest, second.digest);
});
