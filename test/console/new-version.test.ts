import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, signIn, startConsole } from './support/console-page.ts';
import type { ConsoleUnderTest } from './support/console-page.ts';
import { addLines } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');

/** Has the gateway serve a page of another version to everything but a navigation, which still gets this one. */
async function upgrade(page: Page, name: string): Promise<void> {
  await page.route(/^https:\/\/[^/]+\/$/, async (route) => {
    if (route.request().isNavigationRequest() || route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(/frame-[\w-]+\.js/g, `frame-${name}.js`);
    return route.fulfill({ response, body });
  });
}

/** Starts the gateway again once the page has noticed that it does not respond. */
async function restartSeen({ kill, startAgain }: ConsoleUnderTest, page: Page): Promise<void> {
  await kill();
  await page.getByText(/No response since/).waitFor();
  await startAgain();
}

test(
  'after an upgrade an open tab reloads once, at the same place, and then offers to',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/assets/pump');
    // It has had no input since.
    await page.reload();
    await page.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
    await upgrade(page, 'new');
    const reloaded = page.waitForEvent('load');
    await restartSeen(started, page);
    await reloaded;
    // The restart has ended the session.
    await signIn(page);
    await page.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
    assert.equal(new URL(page.url()).hash, '#/assets/pump');

    // It still gets the files of before: it does not reload again for the same version.
    await page.reload();
    await page.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
    let reloads = 0;
    page.on('request', (request) => (reloads += Number(request.isNavigationRequest())));
    // As when the tab becomes visible.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('The gateway has a new version of this console.').waitFor();
    await checkAccessibility(page);
    assert.equal(reloads, 0);
  },
);

test('with a draft the page stays after an upgrade, and offers to reload', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/configuration/drivers/line');
  await addLines(page, 'responseTimeoutMs: 3000');
  await page.goto(`${started.base}/#/assets`);
  await page.locator('main table td').first().waitFor();
  await upgrade(page, 'new');
  await restartSeen(started, page);
  const notice = page.getByText('The gateway has a new version of this console.');
  await notice.waitFor();
  await page.fill('.sign-in-panel input[name=password]', CHIEF.password);
  await page.click('.sign-in-panel button[type=submit]');
  await page.locator('.sign-in-panel').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Reload the console' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.getByText('1 draft').waitFor();
});
