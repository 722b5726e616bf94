import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { signIn, startConsole, WELL_PUMP } from './support/console-page.ts';
import type { ConsoleUnderTest } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';
import { visitPlaces } from './support/places.ts';

const CONSOLE = needs('chromium', 'libmodbus');

// Screens of 1280 and 1440 pixels at 200 %, a telephone, and what lies between the layouts.
const SIZES = [
  { width: 640, height: 512 },
  { width: 360, height: 740 },
  { width: 720, height: 450 },
  { width: 800, height: 600 },
  { width: 1280, height: 800 },
] as const;

async function findCutTexts(
  started: ConsoleUnderTest,
  size: (typeof SIZES)[number],
): Promise<readonly string[]> {
  const page = await started.open({ locale: 'de-DE', viewport: size });
  const found: string[] = [];
  const look = async (link: string): Promise<void> => {
    const cut = await callInPage<readonly string[]>(page, 'cut-texts', 'listCutTexts');
    found.push(...cut.map((words) => `${size.width} px, ${link}: ${words}`));
  };
  await page.waitForSelector('.sign-in');
  await look('sign-in');
  await signIn(page);
  await visitPlaces(page, started.base, look);
  await page.context().close();
  return found;
}

for (const size of SIZES) {
  test(`at ${size.width} by ${size.height} pixels no German text is cut on any page`, CONSOLE, async (t) => {
    const started = await startConsole(t);
    assert.deepEqual(await findCutTexts(started, size), []);
  });
}

test('on a telephone tables of long names and new time-outs show every column', CONSOLE, async (t) => {
  const pid = 'heizungshausNordRuecklaufsammler';
  const { open, base } = await startConsole(t, {
    drivers: [{ pid, type: 'modbus', host: '127.0.0.1', port: 1 }],
    assets: [{ pid: `${pid}Anlage`, driver: pid, channels: [] }],
  });
  const page = await open({ locale: 'de-DE', viewport: { width: 360, height: 740 } });
  let timeouts = 1000;
  await page.route(/\/services\/drivers\/v1$/, async (route) => {
    const response = await route.fetch();
    const drivers = (await response.json()) as readonly { readonly counters: Record<string, unknown> }[];
    timeouts += 1000;
    for (const { counters } of drivers) counters['timeouts'] = timeouts;
    await route.fulfill({ response, json: drivers });
  });
  await signIn(page);
  await page.locator('.overview-connections .state.attention').waitFor();
  for (const link of ['overview', 'assets', 'access', 'record']) {
    await page.goto(`${base}/#/${link}`);
    await page.locator('.page table').first().waitFor();
    assert.deepEqual(await callInPage(page, 'cut-texts', 'listCutTexts'), [], link);
    const beside = await page.evaluate(
      `[...document.querySelectorAll('.wide-table')].filter((place) => place.scrollWidth > place.clientWidth).length`,
    );
    assert.equal(beside, 0, link);
  }
});

test(
  'a table of channels at 1024 pixels shows names in full, and its actions before the pointer is there',
  CONSOLE,
  async (t) => {
    const [, level] = WELL_PUMP.channels;
    const channels = [
      { ...level, name: 'returnTemperature' },
      { ...level, name: 'operatingHours' },
    ];
    const { enter } = await startConsole(t, { assets: [{ ...WELL_PUMP, channels }] });
    const page = await enter('#/assets/pump', { viewport: { width: 1024, height: 768 } });
    await page.locator('.grid-row', { hasText: 'operatingHours' }).getByText('good').waitFor();
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.cell.name')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`,
    );
    assert.equal(cut, 0);
    const seen = await page.evaluate(
      `[...document.querySelectorAll('.row-action')].map((action) => getComputedStyle(action).opacity)`,
    );
    assert.deepEqual(seen, ['1', '1', '1', '1']);
  },
);

test('at 880 pixels no word of an outcome of an audit event is broken', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/record/audit?all=true', { viewport: { width: 880, height: 768 } });
  await page.locator('.audit-table tbody tr td:nth-child(4)', { hasText: 'succeeded' }).first().waitFor();
  // Of one cell with a word, more rectangles are more lines.
  const broken = await page.evaluate(`(() => {
    const cells = [...document.querySelectorAll('.audit-table tbody tr td:nth-child(4)')];
    const walkers = cells.map((cell) => document.createTreeWalker(cell, NodeFilter.SHOW_TEXT));
    const range = document.createRange();
    return walkers.flatMap((walker) => {
      const words = [];
      while (walker.nextNode()) {
        range.selectNodeContents(walker.currentNode);
        const { data } = walker.currentNode;
        if (!data.trim().includes(' ') && range.getClientRects().length > 1) words.push(data);
      }
      return words;
    });
  })()`);
  assert.deepEqual(broken, []);
});
