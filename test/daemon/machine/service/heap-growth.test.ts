import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { HeapGrowth } from '../../../../daemon/machine/service/heap-growth.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MIB = 2 ** 20;
const SOURCE = path.resolve(import.meta.dirname, '../../../../daemon/machine/service/heap-growth.ts');

test('a large heap grows to twice its size, and a small one as the runtime decides', () => {
  const clock = new ManualClock();
  const settings: number[] = [];
  let used = 30 * MIB;
  const growth = new HeapGrowth(clock, {
    usedBytes: () => used,
    setGrowth: (percent) => void settings.push(percent),
  });
  growth.start();
  clock.advance(60_000);
  assert.deepEqual(settings, []);
  used = 90 * MIB;
  clock.advance(60_000);
  used = 20 * MIB;
  clock.advance(60_000);
  assert.deepEqual(settings, [100, 0]);
  growth.stop();
  used = 90 * MIB;
  clock.advance(60_000);
  assert.deepEqual(settings, [100, 0]);
});

test('the runtime takes another growth while it runs, and needs fewer full collections', () => {
  const script = `
    const { ownHeap } = await import(${JSON.stringify(SOURCE)});
    const { PerformanceObserver, constants } = await import('node:perf_hooks');
    const { setImmediate: turn } = await import('node:timers/promises');
    let collections = 0;
    const isFull = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
    const observer = new PerformanceObserver((list) => {
      collections += list.getEntries().filter(isFull).length;
    });
    observer.observe({ entryTypes: ['gc'] });
    const kept = Array.from({ length: 400_000 }, (_, index) => ({ index, list: [index] }));
    const churn = async () => {
      collections = 0;
      const ring = [];
      for (let index = 0; index < 8_000_000; index += 1) {
        ring[index % 200_000] = { index, list: [index] };
        if (index % 50_000 === 0) await turn();
      }
      await turn();
      return collections;
    };
    await churn();
    const before = await churn();
    ownHeap.setGrowth(100);
    const large = await churn();
    console.log(JSON.stringify({ before, large, used: ownHeap.usedBytes(), kept: kept.length }));`;
  const options = ['--max-old-space-size=640', '--max-semi-space-size=4', '--input-type=module', '--eval'];
  const text = execFileSync(process.execPath, [...options, script], { encoding: 'utf8' });
  const { before, large, used } = JSON.parse(text) as Readonly<Record<string, number>>;
  assert.ok(before !== undefined && large !== undefined && used !== undefined);
  assert.ok(large < before, text);
  assert.ok(used > 20 * MIB, text);
});
