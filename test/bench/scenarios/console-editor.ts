import type { Page } from 'playwright-core';

import {
  FLOOR_CHANNELS,
  openPage,
  ROOM_CHANNELS,
  SLOWDOWN,
  startBrowser,
  startConsolePlant,
} from '../console-plant.ts';
import { CONFIGURATION, READS } from '../measured.ts';
import type { Scenario } from '../scenario.ts';
import { measureInTurn, median, quantile } from '../statistics.ts';

// What is read once the text rests is read by then.
const SETTLED_MS = 5000;
/** Pauses between two keys: of a quick hand, and as long as the timers of the editor. */
const PAUSES_MS = [30, 60, 90, 120, 220, 320, 520, 700];
const TYPED = '\ndescription: flow 12\nlabel: a-b\n# a remark'.split('');

/** Time from a key to the picture that shows it, in ms. */
interface KeyTimes {
  readonly middle: number;
  readonly ninetyNinth: number;
  readonly longest: number;
}

/** Keys in the middle of the text of a large asset, and of a small one as the reference. */
export const consoleEditor: Scenario = {
  name: 'console-editor',
  measures: [...READS, ...CONFIGURATION, 'daemon/console'],
  async run(bench) {
    const assets = { floor: FLOOR_CHANNELS, room: ROOM_CHANNELS };
    const plant = await startConsolePlant(bench, assets);
    const { page, debug } = await openPage(plant, await startBrowser(bench));
    const type = async (pid: keyof typeof assets, rate = SLOWDOWN): Promise<KeyTimes> => {
      await debug.send('Emulation.setCPUThrottlingRate', { rate });
      await page.goto(`${plant.base}#/configuration/assets/${pid}`);
      await page.getByRole('textbox', { name: `Text of assets/${pid}` }).waitFor();
      await page.waitForTimeout(SETTLED_MS);
      await goToChannel(page, assets[pid] / 2);
      await page.waitForTimeout(SETTLED_MS);
      const times = await typeKeys(page);
      await page.getByRole('button', { name: 'Discard' }).click();
      return times;
    };
    const { room, floor } = await measureInTurn(bench.choose({ full: 3, quick: 2 }), {
      room: () => type('room'),
      floor: () => type('floor'),
    });
    // As many as an interval needs that rests on their order alone.
    const { unslowed } = await measureInTurn(bench.choose({ full: 6, quick: 2 }), {
      unslowed: () => type('floor', 1),
    });
    const key = `console, a key in the text of an asset of ${FLOOR_CHANNELS} channels`;
    const longest = unslowed.map((times) => times.longest);
    const describe = (what: string, part: keyof KeyTimes) => ({
      name: `${key}, processor slowed ${SLOWDOWN} ×: ${what}`,
      value: `${median(floor.map((times) => times[part])).toFixed(0)} ms`,
      floor: `${median(room.map((times) => times[part])).toFixed(0)} ms (${ROOM_CHANNELS} channels)`,
      rounds: floor.map((times) => times[part]),
      unit: 'ms',
    });
    return [
      describe('median', 'middle'),
      describe('99th percentile', 'ninetyNinth'),
      { ...describe('longest', 'longest'), row: 28, goal: { atMost: 50 } },
      {
        row: 28,
        name: `${key}: longest`,
        value: `${median(longest).toFixed(0)} ms`,
        rounds: longest,
        unit: 'ms',
        gate: { atMost: 100 },
        goal: { atMost: 50 },
      },
    ];
  },
};

/** Moves the cursor to the end of the line that names a channel. */
async function goToChannel(page: Page, channel: number): Promise<void> {
  await page.locator('.cm-content').press('Control+f');
  await page.keyboard.insertText(`channel${String(channel).padStart(5, '0')}`);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
}

/** Times keys as the browser does (Event Timing): with what a key waits for, up to the next picture. */
async function typeKeys(page: Page): Promise<KeyTimes> {
  await page.evaluate(`
    globalThis.keyTimes = new Map();
    globalThis.keyObserver = new PerformanceObserver((list) => {
      for (const { name, interactionId, duration } of list.getEntries()) {
        if (interactionId > 0 && name.startsWith('key')) {
          keyTimes.set(interactionId, Math.max(duration, keyTimes.get(interactionId) ?? 0));
        }
      }
    });
    keyObserver.observe({ type: 'event', durationThreshold: 16 });
  `);
  for (const [index, key] of TYPED.entries()) {
    await page.keyboard.press(key === '\n' ? 'Enter' : key === ' ' ? 'Space' : key);
    await page.waitForTimeout(PAUSES_MS[(index * 5) % PAUSES_MS.length] ?? 0);
  }
  await page.waitForTimeout(SETTLED_MS);
  const found = await page.evaluate<readonly number[]>('keyObserver.disconnect(), [...keyTimes.values()]');
  // What is shown within a picture of 16 ms is not listed.
  const quick = Array.from<number>({ length: Math.max(0, TYPED.length - found.length) }).fill(16);
  const times = [...quick, ...found].toSorted((a, b) => a - b);
  return { middle: median(times), ninetyNinth: quantile(times, 0.99), longest: times.at(-1) ?? Number.NaN };
}
