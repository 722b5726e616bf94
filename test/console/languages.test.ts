import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { openUserMenu, shareConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const TEXTS = /\/assets\/texts-(en|de)-[^/]+\.js$/;
const openShared = shareConsole();

test('a browser loads the texts of the language that it shows, and no others', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  for (const [locale, language, title] of [
    ['en-GB', 'en', 'Sign in'],
    ['de-DE', 'de', 'Anmelden'],
  ] as const) {
    const page = await open({ locale });
    const loaded: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (TEXTS.test(request.url())) loaded.push(TEXTS.exec(request.url())?.[1]);
    });
    await page.goto(`${base}/?again`);
    await page.locator('.sign-in h1, .sign-in button', { hasText: title }).first().waitFor();
    assert.deepEqual(loaded, [language]);
  }
});

test('a page shows an outline until its texts are loaded', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  const page = await open();
  const held = Promise.withResolvers<void>();
  await page.route(TEXTS, async (route) => {
    await held.promise;
    await route.continue();
  });
  const session = page.waitForResponse(/\/services\/session\/v1\//);
  await page.goto(`${base}/?again`);
  await session;
  await page.locator('.loading-strip').waitFor();
  assert.equal(await page.locator('.sign-in').count(), 0);
  held.resolve();
  await page.locator('.sign-in').waitFor();
});

test(
  'a language without a response is not shown, and the next choice requests it again',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter();
    const menu = await openUserMenu(page);
    await page.route(TEXTS, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed', (request) => TEXTS.test(request.url()));
    await menu.locator('select[name=language]').selectOption('de');
    await failed;
    assert.equal(await page.locator('h1', { hasText: 'Overview' }).count(), 1);
    await page.unroute(TEXTS);
    await menu.locator('select[name=language]').selectOption('en');
    await menu.locator('select[name=language]').selectOption('de');
    await page.locator('h1', { hasText: 'Übersicht' }).waitFor();
  },
);

test('the first texts are requested again when they got no response', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  const page = await open();
  await page.route(TEXTS, (route) => route.abort());
  const failed = page.waitForEvent('requestfailed', (request) => TEXTS.test(request.url()));
  await page.goto(`${base}/?again`);
  await failed;
  await page.unroute(TEXTS);
  await page.locator('.sign-in').waitFor();
});
