import { HALL_CHANNELS, openPage, SLOWDOWN, startBrowser, startConsolePlant } from '../console-plant.ts';
import type { BenchPage } from '../console-plant.ts';
import { traceTasks } from '../main-thread.ts';
import type { TracedTasks } from '../main-thread.ts';
import { READS } from '../measured.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { fitSlope, median } from '../statistics.ts';

const LIMITS = { atLeast: 6, atMost: 12 };
const MEBIBYTE = 2 ** 20;
// The code that runs all the time is compiled by then, and each course has its room.
const WARM_UP_MS = 20_000;
const SAMPLES = 12;

/** A table of many channels, all of which change every second: how long the page is busy at a time, and what it keeps. */
export const consoleTable: Scenario = {
  name: 'console-table',
  measures: [...READS, 'daemon/console', 'daemon/server/event'],
  async run(bench) {
    const plant = await startConsolePlant(bench);
    const { page, debug } = await openPage(plant, await startBrowser(bench));
    await page.goto(`${plant.base}#/assets/hall`);
    await page.getByText(`${HALL_CHANNELS.toLocaleString('en-GB')} of`).waitFor();
    await page.locator('.cell.quality', { hasText: 'good' }).first().waitFor();
    await page.waitForTimeout(WARM_UP_MS);

    const name = `console, ${HALL_CHANNELS} channels that change every second`;
    const slow = `processor slowed ${SLOWDOWN} ×`;
    const measurements = {
      standing: () => traceTasks(debug, () => page.waitForTimeout(5000)),
      moving: () => traceTasks(debug, () => moveThrough({ page, debug })),
    };
    const describe = (looks: readonly TracedTasks[], what: string): Line => ({
      row: 28,
      name: `${name}, ${slow}: longest task${what}`,
      value: `${median(looks.map(({ longestMs }) => longestMs)).toFixed(0)} ms`,
      rounds: looks.map(({ longestMs }) => longestMs),
      unit: 'ms',
      gate: { atMost: 80 },
      goal: { atMost: 50 },
    });
    const tasks = await measureUntilDecided(bench, LIMITS, measurements, ({ standing, moving }) => {
      const busy = standing.map(({ busyShare }) => busyShare * 100);
      return [
        describe(standing, ''),
        describe(moving, ', keys and wheel through the table'),
        {
          name: `${name}, ${slow}: share of time in which the page is busy`,
          value: `${median(busy).toFixed(1)} %`,
          rounds: busy,
          unit: '%',
        },
      ];
    });
    const samples = await watchMemory(debug, bench.watchMs);
    const usedMiB = median(samples.map(({ bytes }) => bytes)) / MEBIBYTE;
    const slope = fitSlope(samples.map(({ ms, bytes }) => [ms, bytes]));
    const growthMiB = (slope * bench.watchMs) / MEBIBYTE;
    return [
      ...tasks,
      {
        name: `${name}: memory after garbage collection`,
        value: `${usedMiB.toFixed(1)} MiB`,
        rounds: [usedMiB],
        isUntimed: true,
        unit: 'MiB',
      },
      {
        name: `${name}: growth of memory in ${bench.watchMs / 60_000} min`,
        value: `${growthMiB.toFixed(2)} MiB`,
        rounds: [growthMiB],
        isUntimed: true,
        unit: 'MiB',
        gate: { atMost: 2 },
      },
    ];
  },
};

async function moveThrough({ page }: BenchPage): Promise<void> {
  await page.focus('.grid');
  for (const key of ['End', 'PageUp', 'PageUp', 'Home', 'PageDown', 'PageDown', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(300);
  }
  await page.locator('.grid').hover();
  for (let turn = 0; turn < 10; turn += 1) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(200);
  }
}

/** Takes samples of the memory that is in use once what is garbage is gone. */
async function watchMemory(
  debug: BenchPage['debug'],
  watchMs: number,
): Promise<readonly { readonly ms: number; readonly bytes: number }[]> {
  const samples: { readonly ms: number; readonly bytes: number }[] = [];
  await debug.send('HeapProfiler.enable');
  const start = performance.now();
  for (let index = 0; index <= SAMPLES; index += 1) {
    const waitMs = start + (index * watchMs) / SAMPLES - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    await debug.send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = await debug.send('Runtime.getHeapUsage');
    // The courses are in array buffers, beside the heap.
    samples.push({ ms: performance.now() - start, bytes: usedSize + backingStorageSize });
  }
  return samples;
}
