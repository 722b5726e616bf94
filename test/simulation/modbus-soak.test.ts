import assert from 'node:assert/strict';
import { test } from 'node:test';

import { soak } from './modbus-soak.ts';

const PLANT = { units: { gateway: 4, controller: 1, rtu: 6, second: 4 }, readPauseMs: 5000 } as const;

test('without faults every read of every unit brings true values, and every write is done', async () => {
  const { chronicle, failed, good } = await soak({ ...PLANT, seed: 'calm', hours: 0.2, hasFaults: false });
  assert.equal(chronicle.broken, undefined);
  assert.equal(failed, 0);
  assert.ok(good > 10_000);
});

for (const seed of ['cable', 'noise', 'reboot']) {
  test(`in an hour of faults (${seed}) no value is false, no write is done twice, and all values come again`, async () => {
    const { chronicle, failed, good } = await soak({
      ...PLANT,
      seed,
      hours: 1,
      meanFaultPauseMs: 1_200_000,
    });
    assert.equal(chronicle.broken, undefined);
    assert.ok(failed > 100 && good > 50_000, `${failed} failed, ${good} good`);
  });
}

test('two runs of a seed are the same', async () => {
  const digests: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const { chronicle } = await soak({ ...PLANT, seed: 'twice', hours: 0.2, meanFaultPauseMs: 120_000 });
    digests.push(chronicle.digest());
  }
  assert.equal(digests[0], digests[1]);
});
