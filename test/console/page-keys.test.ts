import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PAGES } from '../../daemon/console/views/pages.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, openUserMenu, shareConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test('a question mark lists the keys of the page, and Escape goes back where one was', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  await page.locator('.grid-row .state.fault').waitFor();
  const table = page.getByRole('grid');
  await table.focus();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByRole('row', { name: 'w Write the value' }).waitFor();
  await list.getByRole('row', { name: 'g k Go to Configuration' }).waitFor();
  assert.equal(await list.getByText('Zoom back').count(), 0);
  await checkAccessibility(page);
  // What lies below does not move.
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  assert.match(page.url(), /#\/assets\/pump$/);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.locator('[role=grid]:focus').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.waitForURL(/#\/trends$/);
  await page.keyboard.press('?');
  await list.getByRole('row', { name: 'Backspace Zoom back' }).waitFor();
  await list.getByRole('button', { name: 'Close' }).click();
  await list.waitFor({ state: 'detached' });
});

test('f goes to the filter of the page, and stays out of it', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('#/assets/pump');
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.waitFor();
  await page.keyboard.press('f');
  await page.keyboard.type('lev/');
  assert.equal(await filter.inputValue(), 'lev/');
  await page.goto(`${base}/#/trends`);
  await page.locator('.channel-search input').waitFor();
  await page.keyboard.press('f');
  await page.locator('.channel-search input:focus').waitFor();
});

test('every page has one heading, also one that is not there', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter();
  for (const { name, title } of [...PAGES, { name: 'nothing', title: { en: 'Not found' } }]) {
    await page.goto(`${base}/#/${name}`);
    await page.locator('main h1', { hasText: title.en }).waitFor();
    assert.equal(await page.locator('main h1').count(), 1);
  }
});

test('keys of one sign are switched off, also after a reload, and on again', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  const level = page.locator('.grid-row:not(.head)', { hasText: 'level' });
  await level.waitFor();
  await page.keyboard.press('?');
  const single = page.getByRole('checkbox', { name: /^Single-key shortcuts/ });
  await single.uncheck();
  await page.keyboard.press('Escape');
  await page.reload();
  await level.waitFor();
  await page.getByRole('grid').focus();
  for (const key of ['?', '/', 'j', 't', 'g', 'o']) await page.keyboard.press(key);
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.locator('[role=grid]:focus').waitFor();
  assert.match(page.url(), /#\/assets\/pump$/);
  // Keys that nobody speaks or types by mistake still work.
  await page.keyboard.press('ArrowDown');
  assert.match((await page.getByRole('grid').getAttribute('aria-activedescendant')) ?? '', /-1$/);
  await (await openUserMenu(page)).getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await single.check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.waitForURL(/#\/overview$/);
});
