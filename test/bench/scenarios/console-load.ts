import type { Browser } from 'playwright-core';

import { openPage, SLOWDOWN, startBrowser, startConsolePlant } from '../console-plant.ts';
import type { BenchPage, ConsolePlant } from '../console-plant.ts';
import { READS } from '../measured.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

/** How a first look at the console went. */
interface FirstLook {
  /** From the navigation until the browser has shown what the overview says. */
  readonly usableMs: number;
  readonly shownBytes: number;
  /** With the pages that are not open. */
  readonly firstBytes: number;
  /** What trends load later. */
  readonly trendBytes: number;
  /** What the editor of the configuration loads later. */
  readonly editorBytes: number;
  /** What the sections load later that set devices up. */
  readonly setupBytes: number;
}

// What needs somebody, and the table of assets: there is no more to wait for before one can read and click.
const OVERVIEW = 'main .summary strong, main .overview-assets tbody tr';
const TREND = '#/trends?c=room/channel00000';
const EDITOR = '#/configuration/drivers/line';
const SETUP = '#/devices/add';
// The last of the pages that are not open: they come one after the other, soon after the overview is shown.
const LAST_PAGE = /\/assets\/record-page-/;
// Fonts are the last files, as only what is shown asks for them.
const FONTS_LOADED = 'document.fonts.ready.then(() => undefined)';
const KILOBYTE = 1000;
const LIMITS = { atLeast: 6, atMost: 12 };

/** What the console loads, and how soon it can be used, in a browser that was never there. */
export const consoleLoad: Scenario = {
  name: 'console-load',
  measures: [...READS, 'daemon/console', 'daemon/server/event'],
  async run(bench) {
    const plant = await startConsolePlant(bench);
    const browser = await startBrowser(bench);
    const measurements = { looks: () => lookFirst(plant, browser) };
    return measureUntilDecided(bench, LIMITS, measurements, ({ looks }) => describe(looks));
  },
};

function describe(looks: readonly FirstLook[]): readonly Line[] {
  const times = looks.map(({ usableMs }) => usableMs);
  const firstKilobytes = Math.max(...looks.map(({ firstBytes }) => firstBytes)) / KILOBYTE;
  const shownKilobytes = Math.max(...looks.map(({ shownBytes }) => shownBytes)) / KILOBYTE;
  const trendKilobytes = Math.max(...looks.map(({ trendBytes }) => trendBytes)) / KILOBYTE;
  const setupKilobytes = Math.max(...looks.map(({ setupBytes }) => setupBytes)) / KILOBYTE;
  const editorKilobytes = Math.max(...looks.map(({ editorBytes }) => editorBytes)) / KILOBYTE;
  return [
    {
      row: 28,
      name: 'console, first load: bytes on the wire',
      value: `${firstKilobytes.toFixed(1)} kB`,
      rounds: [firstKilobytes],
      isUntimed: true,
      unit: 'kB',
      gate: { atMost: 200 },
      goal: { atMost: 120 },
    },
    {
      row: 28,
      name: 'console, first load: bytes on the wire until the overview is shown',
      value: `${shownKilobytes.toFixed(1)} kB`,
      rounds: [shownKilobytes],
      isUntimed: true,
      unit: 'kB',
      goal: { atMost: 90 },
    },
    {
      name: 'console, trends and editor: bytes on the wire beyond the first load',
      value: `${trendKilobytes.toFixed(1)} + ${editorKilobytes.toFixed(1)} kB`,
      rounds: [trendKilobytes + editorKilobytes],
      isUntimed: true,
      unit: 'kB',
    },
    {
      name: 'console, a new device: bytes on the wire beyond the first load',
      value: `${setupKilobytes.toFixed(1)} kB`,
      rounds: [setupKilobytes],
      isUntimed: true,
      unit: 'kB',
    },
    {
      row: 28,
      name: `console, first load, processor slowed ${SLOWDOWN} ×: overview shown`,
      value: `${median(times).toFixed(0)} ms`,
      rounds: times.map((ms) => ms / 1000),
      unit: 's',
      gate: { atMost: 2 },
      goal: { atMost: 1 },
    },
  ];
}

async function lookFirst(plant: ConsolePlant, browser: Browser): Promise<FirstLook> {
  const opened = await openPage(plant, browser);
  const { page } = opened;
  const loaded = await countFiles(opened, plant.base);
  await page.addInitScript(`
    const look = () => {
      const isShown = '${OVERVIEW}'.split(', ').every((part) => document.querySelector(part) !== null);
      // A frame later it is on the screen.
      if (isShown) requestAnimationFrame(() => noteUsable(String(performance.now())));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
  await opened.debug.send('Runtime.enable');
  await opened.debug.send('Runtime.addBinding', { name: 'noteUsable' });
  const pages = page.waitForEvent('requestfinished', (request) => LAST_PAGE.test(request.url()));
  const noted = new Promise<string>((resolve) => {
    opened.debug.once('Runtime.bindingCalled', ({ payload }) => resolve(payload));
  });
  await page.goto(plant.base, { waitUntil: 'commit' });
  const usableMs = Number(await noted);
  const shownBytes = loaded();
  await pages;
  await page.evaluate(FONTS_LOADED);
  const firstBytes = loaded();
  await page.goto(`${plant.base}${TREND}`);
  await page.locator('main canvas').first().waitFor();
  const trendBytes = loaded() - firstBytes;
  await page.goto(`${plant.base}${EDITOR}`);
  await page.locator('.target-editor .cm-content').waitFor();
  await page.evaluate(FONTS_LOADED);
  const editorBytes = loaded() - firstBytes - trendBytes;
  await page.goto(`${plant.base}${SETUP}`);
  await page.locator('.add-device form').waitFor();
  const setupBytes = loaded() - firstBytes - trendBytes - editorBytes;
  await page.context().close();
  return { usableMs, shownBytes, firstBytes, trendBytes, editorBytes, setupBytes };
}

/** Counts the bytes of the files of the console, with their header fields, as they come over the wire. */
async function countFiles({ debug }: BenchPage, base: string): Promise<() => number> {
  const files = new Set<string>();
  let bytes = 0;
  debug.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname, href } = new URL(response.url);
    if (href.startsWith(base) && (pathname === '/' || pathname.startsWith('/assets/'))) files.add(requestId);
  });
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength;
  });
  await debug.send('Network.enable');
  return () => bytes;
}
