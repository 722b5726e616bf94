import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, openUserMenu, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test(
  'the gateway keeps zone, language and row height of a user for another browser; the menu shows them',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter('', { timezoneId: 'America/New_York' });
    const menu = await openUserMenu(page);
    await checkAccessibility(page);
    await menu.locator('option', { hasText: /^America\/New_York −0[45]:00$/ }).waitFor({ state: 'attached' });
    const stored = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && response.url().endsWith('/_settings'),
    );
    await menu.locator('select[name=zone]').selectOption('utc');
    assert.equal((await stored).status(), 204);
    await menu.locator('select[name=density]').selectOption('COMPACT');
    const complete = page.waitForResponse(
      (response) =>
        response.request().method() === 'PUT' && (response.request().postData()?.includes('"de"') ?? false),
    );
    await menu.locator('select[name=language]').selectOption('de');
    await page.locator('h1', { hasText: 'Übersicht' }).waitFor();
    assert.equal((await complete).status(), 204);

    const other = await enter('', { timezoneId: 'America/New_York' });
    await other.locator('h1', { hasText: 'Übersicht' }).waitFor();
    await other.locator('[data-density=compact]').waitFor();
    const again = await openUserMenu(other);
    assert.equal(await again.locator('select[name=zone]').inputValue(), 'utc');
    assert.equal(await again.locator('select[name=density]').inputValue(), 'COMPACT');
    await other.keyboard.press('Escape');
    assert.equal(await other.locator('.user-menu').isVisible(), false);
    assert.equal(await other.locator('.user-button:focus').count(), 1);
  },
);

test('a setting that the gateway did not store is said in the menu', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter();
  await page.route('**/_settings', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 507, json: { message: 'the disk is full' } })
      : route.continue(),
  );
  const menu = await openUserMenu(page);
  await menu.locator('select[name=zone]').selectOption('utc');
  await menu.getByRole('alert').getByText('Settings not stored: the disk is full').waitFor();
});
