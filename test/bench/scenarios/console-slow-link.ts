import type { Browser } from 'playwright-core';

import { openPage, startBrowser, startConsolePlant } from '../console-plant.ts';
import type { BenchPage, ConsolePlant } from '../console-plant.ts';
import { WHOLE_GATEWAY } from '../measured.ts';
import type { Line, Scenario } from '../scenario.ts';

const KILOBYTE = 1000;
const LATENCY_MS = 400;
const BYTES_PER_SECOND = 50 * KILOBYTE;
const LINK = `${BYTES_PER_SECOND / KILOBYTE} kB/s, ${LATENCY_MS} ms`;

// The pages that are not open come one after the other.
const LAST_PAGE = /\/assets\/record-page-/;

/** A page, and what is there once its content is. */
interface SeenPage {
  readonly place: string;
  readonly shows: string;
}

const PAGES: readonly SeenPage[] = [
  { place: 'overview', shows: '.overview-assets tbody tr' },
  { place: 'assets', shows: 'main table tbody tr' },
  { place: 'assets/room', shows: '.cell.quality' },
  { place: 'trends?c=room/channel00000', shows: 'main canvas' },
  { place: 'devices', shows: 'main table tbody tr' },
  { place: 'configuration', shows: '.tree ul ul a' },
  { place: 'configuration/drivers/line', shows: '.cm-content' },
  { place: 'configuration/snapshots', shows: '.chosen table tbody tr' },
  { place: 'access', shows: '.certificate' },
  { place: 'software', shows: '.drop' },
  { place: 'north', shows: 'main p.soft' },
  { place: 'record', shows: '.record-table td' },
  { place: 'record/audit', shows: '.audit-table td' },
];

/** How a page came over the link. */
interface Look {
  readonly outlineMs: number;
  readonly contentMs: number;
  readonly requests: number;
  readonly bytes: number;
}

/** How each page comes over a slow link with much latency: in a browser that was never there, and from the overview. */
export const consoleSlowLink: Scenario = {
  name: 'console-slow-link',
  measures: [...WHOLE_GATEWAY, 'daemon/console'],
  async run(bench) {
    const plant = await startConsolePlant(bench);
    const browser = await startBrowser(bench);
    const lines: Line[] = [];
    for (const seen of bench.choose({ full: PAGES, quick: PAGES.slice(0, 3) })) {
      const cold = await lookCold(plant, browser, seen);
      const warm = await lookWarm(plant, browser, seen);
      lines.push(...describe(seen, 'first load', cold), ...describe(seen, 'from the overview', warm));
    }
    return lines;
  },
};

function describe({ place }: SeenPage, what: string, look: Look): readonly Line[] {
  const { outlineMs, contentMs, requests, bytes } = look;
  const name = `console over ${LINK}, ${place}, ${what}`;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return [
    {
      name: `${name}: outline, content`,
      value: `${seconds(outlineMs)}, ${seconds(contentMs)}`,
      rounds: [contentMs / 1000],
      unit: 's',
      goal: { atMost: 6 },
    },
    {
      name: `${name}: requests, bytes`,
      value: `${requests}, ${(bytes / KILOBYTE).toFixed(1)} kB`,
      rounds: [bytes / KILOBYTE],
      isUntimed: true,
      unit: 'kB',
    },
  ];
}

async function lookCold(plant: ConsolePlant, browser: Browser, seen: SeenPage): Promise<Look> {
  const opened = await openPage(plant, browser);
  const count = await countRequests(opened);
  await slowDown(opened);
  const look = await measure(opened, seen, async () => {
    await opened.page.goto(`${plant.base}#/${seen.place}`, { waitUntil: 'commit' });
  });
  const counted = count();
  await opened.page.context().close();
  return { ...look, ...counted };
}

/** The code of the console is there, as are the states that every page shows. */
async function lookWarm(plant: ConsolePlant, browser: Browser, seen: SeenPage): Promise<Look> {
  const opened = await openPage(plant, browser);
  const { page } = opened;
  const lazy = page.waitForEvent('requestfinished', (request) => LAST_PAGE.test(request.url()));
  await page.goto(plant.base);
  await page.locator('main .overview-assets tbody tr').first().waitFor();
  await lazy;
  // From a page without content of its own.
  await page.goto(`${plant.base}#/no-such-page`);
  await page.locator('main .notice').waitFor();
  await page.waitForLoadState('networkidle');
  const count = await countRequests(opened);
  await slowDown(opened);
  const look = await measure(opened, seen, async () => {
    await page.goto(`${plant.base}#/${seen.place}`);
  });
  const counted = count();
  await page.context().close();
  return { ...look, ...counted };
}

async function measure(
  { page }: BenchPage,
  { shows }: SeenPage,
  go: () => Promise<void>,
): Promise<Pick<Look, 'outlineMs' | 'contentMs'>> {
  const start = performance.now();
  await go();
  await page.locator('main h1, .loading-strip').first().waitFor();
  const outlineMs = performance.now() - start;
  await page.locator(shows).first().waitFor({ timeout: 60_000 });
  return { outlineMs, contentMs: performance.now() - start };
}

async function slowDown({ debug }: BenchPage): Promise<void> {
  await debug.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
}

/** Counts requests and the bytes of their responses, with header fields, as they come over the wire. */
async function countRequests({ debug }: BenchPage): Promise<() => Pick<Look, 'requests' | 'bytes'>> {
  let requests = 0;
  let bytes = 0;
  debug.on('Network.requestWillBeSent', () => (requests += 1));
  debug.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await debug.send('Network.enable');
  return () => ({ requests, bytes });
}
