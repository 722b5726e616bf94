import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { PAGES } from '../../daemon/console/views/pages.ts';
import { needs } from '../support/tests-that-need.ts';
import { shareConsole, startConsole } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';
import { visitPlaces } from './support/places.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();
const TELEPHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/** Presses with a thumb, which reaches what is in the lower two thirds and at least 44 pixels high. */
async function pressByThumb(page: Page, target: Locator): Promise<void> {
  const box = await target.boundingBox();
  assert.ok(box !== null && box.height >= 44 && box.width >= 44, JSON.stringify(box));
  assert.ok(box.y > TELEPHONE.viewport.height / 3, `${box.y}`);
  assert.ok(box.y + box.height <= TELEPHONE.viewport.height && box.x + box.width <= TELEPHONE.viewport.width);
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

test('a setpoint is written by one thumb', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('', TELEPHONE);
  await pressByThumb(page, page.locator('.rail > a').nth(1));
  await page.locator('h1', { hasText: 'Assets' }).waitFor();
  await page.locator('.page td a', { hasText: 'pump' }).tap();
  const setpoint = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
  await setpoint.getByText('good').waitFor();
  const write = setpoint.locator('.cell.action button').first();
  assert.ok(((await write.boundingBox())?.height ?? 0) >= 44);
  await write.tap();
  const panel = page.locator('form.write');
  await pressByThumb(page, panel.locator('input[name=value]'));
  await page.keyboard.type('61');
  const check = panel.locator('button[type=submit]');
  const before = await check.boundingBox();
  await pressByThumb(page, check);
  const main = panel.locator('button.main');
  await main.waitFor();
  // A second press on the same place does not write.
  const [after, place] = [await check.boundingBox(), await main.boundingBox()];
  assert.deepEqual(after, before);
  assert.ok((place?.y ?? 0) >= (before?.y ?? 0) + (before?.height ?? 0));
  await pressByThumb(page, main);
  await panel.getByText('VERIFIED').waitFor();
  await panel.getByText('Close').tap();
  await setpoint.locator('.cell.value', { hasText: '61' }).waitFor();
});

test(
  'every page is reached on a telephone, and so are zone, language and the way out',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('', TELEPHONE);
    const menu = page.locator('.rail-menu');
    const visit = async (name: string): Promise<void> => {
      await pressByThumb(page, menu);
      await pressByThumb(page, page.locator('.rail-others a', { hasText: name }));
      await page.locator('h1', { hasText: name }).waitFor();
      // The menu makes room for the page.
      await page.locator('.rail-menu[aria-expanded=false]').waitFor();
    };
    // The first three stand beside the menu.
    for (const { title } of PAGES.slice(3)) await visit(title.en);
    await pressByThumb(page, menu);
    await pressByThumb(page, page.locator('.rail-own'));
    await page.locator('.user-menu select[name=language]').selectOption('de');
    await page.locator('h1', { hasText: PAGES.at(-1)?.title.de ?? '' }).waitFor();
    await pressByThumb(page, page.locator('.user-menu > button').last());
    await page.waitForSelector('.sign-in');
  },
);

test('the sections of a page are one line, in which the current one is visible', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  for (const locale of ['en-GB', 'de-DE']) {
    for (const link of ['devices', 'devices/sheet/pump', 'record/trace', 'software/about']) {
      const page = await enter(`#/${link}`, { ...TELEPHONE, locale });
      await page.locator('.sections a[aria-current]').waitFor();
      const seen = await page.evaluate(`(() => {
        const lines = new Set([...document.querySelectorAll('.sections a')].map((each) => each.getBoundingClientRect().top));
        const { left, right } = document.querySelector('.sections a[aria-current]').getBoundingClientRect();
        return { lines: lines.size, isVisible: left >= 0 && right <= innerWidth };
      })()`);
      assert.deepEqual(seen, { lines: 1, isVisible: true }, `${locale} ${link}`);
    }
  }
});

test('the current section stays visible when the language changes', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/devices/sheet/pump', TELEPHONE);
  const current = page.locator('.sections a[aria-current]');
  await current.waitFor();
  await pressByThumb(page, page.locator('.rail-menu'));
  await pressByThumb(page, page.locator('.rail-own'));
  await page.locator('.user-menu select[name=language]').selectOption('de');
  await current.and(page.getByText('Tabelle', { exact: true })).waitFor();
  const isVisible = await page.evaluate<boolean>(`(() => {
    const { left, right } = document.querySelector('.sections a[aria-current]').getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  })()`);
  assert.equal(isVisible, true);
});

test('on no page a target of a finger is lower or narrower than 24 pixels', CONSOLE, async (t) => {
  const started = await openShared(t);
  const page = await started.enter('', TELEPHONE);
  const found: string[] = [];
  await visitPlaces(page, started.base, async (link) => {
    const small = await callInPage<readonly string[]>(page, 'small-targets', 'listSmallTargets');
    found.push(...small.map((words) => `${link}: ${words}`));
  });
  assert.deepEqual(found, []);
});

test(
  'a page that is longer than the screen scrolls above the bar, and ends with its content',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('#/configuration/document', TELEPHONE);
    await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).waitFor();
    assert.ok(
      await page.evaluate<boolean>(
        `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector('.page'))`,
      ),
    );
    assert.equal(
      await page.evaluate<number>(
        'document.documentElement.scrollHeight - document.documentElement.clientHeight',
      ),
      0,
    );
  },
);

test('the actions of the table of channels take one row, and unfold', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  for (const locale of ['en-GB', 'de-DE']) {
    const page = await enter('#/devices/channels/pump', { ...TELEPHONE, locale });
    const tools = page.locator('.channel-editor > .tools').first();
    await tools.waitFor();
    // As high as its highest button.
    const [box, button] = [await tools.boundingBox(), await tools.locator('button').first().boundingBox()];
    assert.equal(box?.height, button?.height);
    const [undo] = await tools.locator('.more-tools button', { hasText: /^(?:Undo|Rückgängig)$/ }).all();
    assert.equal(await undo?.isVisible(), false);
    await tools.locator('.unfold').tap();
    assert.equal(await undo?.isVisible(), true);
    await page.context().close();
  }
});
