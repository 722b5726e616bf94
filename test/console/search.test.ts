import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, shareConsole, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();
const READER = { name: 'reader', permissions: ['rest.assets.read'], password: 'console-search-word' };

/** Finds the results of a text. */
async function search(page: Page, text: string): Promise<readonly string[]> {
  const field = page.getByRole('combobox', { name: 'Search' });
  await field.fill(text);
  await page.locator('dialog.search [role=option], dialog.search [role=status]').first().waitFor();
  return page.locator('dialog.search [role=option]').allInnerTexts();
}

test(
  'a slash finds a channel, Enter opens it, and the keys of its table work at once',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('#/access');
    await page.locator('h1', { hasText: 'Access' }).waitFor();
    await page.keyboard.press('/');
    const field = page.locator('dialog.search input:focus');
    await field.waitFor();
    await page.keyboard.type('pump lev');
    await page.locator('dialog.search [role=option]', { hasText: 'pump/level' }).waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/assets\/pump\?filter=level$/);
    await page.locator('[role=grid]:focus').waitFor();
    await page.keyboard.press('t');
    await page.waitForURL(/#\/trends\?c=pump\/level$/);
  },
);

test('Ctrl+K works in a field, arrows choose, and Escape goes back there', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.focus();
  await page.keyboard.press('Control+k');
  await page.locator('dialog.search input:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog.search').waitFor({ state: 'detached' });
  await page.locator('.choices input:focus').waitFor();
  await page.locator('.search-button').click();
  const found = await search(page, 'pump');
  assert.match(found[0] ?? '', /Asset\s+pump/);
  assert.ok(found.length > 0);
  await page.getByRole('combobox', { name: 'Search' }).fill('re');
  await page.locator('dialog.search [role=option]', { hasText: 'Record' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  const chosen = page.locator('dialog.search [aria-selected=true]');
  assert.match((await chosen.getAttribute('id')) ?? '', /-1$/);
});

test('settings, connections, pages and identities are found, each with its place', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter();
  for (const [text, kind, place] of [
    ['sessionInactivity', 'Setting', '#/configuration/rest'],
    ['Software', 'Page', '#/software'],
    ['chief', 'Identity', '#/access/identities/chief'],
    ['snapshots', 'Page', '#/configuration/snapshots'],
  ] as const) {
    await page.goto(`${base}/#/overview`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(text);
    const result = page.locator('dialog.search [role=option]', { hasText: kind }).first();
    await result.click();
    await page.waitForURL(`${base}/${place}`);
  }
});

test('a search finds nothing that is not granted, and says so', CONSOLE, async (t) => {
  const { open } = await startConsole(t, { identities: [READER] });
  const page = await open();
  await signIn(page, READER);
  await page.keyboard.press('/');
  assert.deepEqual(await search(page, 'chief'), []);
  await page.getByText('Nothing found for “chief”.').waitFor();
  assert.deepEqual(await search(page, 'software'), []);
  assert.equal((await search(page, 'setpoint')).length, 1);
});

test('a link opened by Enter gives the focus to its page, a click leaves it', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets');
  await page.locator('.overview-assets a', { hasText: 'pump' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('[role=grid]:focus').waitFor();
  await page.keyboard.press('j');
  assert.match((await page.getByRole('grid').getAttribute('aria-activedescendant')) ?? '', /-1$/);
});
