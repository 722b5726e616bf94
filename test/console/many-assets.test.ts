import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const STATES = '/services/assets/_status';

function createAssets(count: number, driver: string) {
  return Array.from({ length: count }, (_, index) => ({
    pid: `${driver}Asset${String(index).padStart(3, '0')}`,
    driver,
    channels: [],
  }));
}

/** Records the paths below that of assets that a page sends from now on. */
function recordAsked(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/services/assets')) asked.push(pathname);
  });
  return asked;
}

test(
  'the states of a thousand assets are one request at first, and one in five seconds',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, { assets: createAssets(1000, 'line') });
    const page = await enter();
    const asked = recordAsked(page);
    await page.clock.install();
    await page.reload();
    await page.getByText('1,000 not polled yet').waitFor();
    assert.equal(await page.locator('.overview-assets').count(), 0);
    assert.deepEqual(asked, [STATES]);
    for (const count of [2, 3]) {
      const answer = page.waitForResponse((response) => response.url().endsWith(STATES));
      await page.clock.runFor(5000);
      await answer;
      assert.equal(asked.length, count);
    }
    await page.getByRole('searchbox', { name: 'Filter assets' }).fill('asset998');
    const row = page.locator('.overview-assets tbody tr');
    await row.getByText('lineAsset998').waitFor();
    assert.match(await row.innerText(), /line Modbus\s+not polled yet/);
    await page.getByText('1 of 1000').waitFor();
    await page.getByRole('searchbox', { name: 'Filter assets' }).fill('');
    await page.getByRole('button', { name: 'Show all 1,000' }).click();
    await page.getByRole('button', { name: '200 more' }).click();
    assert.equal(await row.count(), 400);
    assert.equal(asked.length, 3);

    await page.goto(page.url().replace(/#.*/, '#/assets'));
    await row.last().getByText('lineAsset199').waitFor();
    assert.equal(await row.count(), 200);
    assert.deepEqual(new Set(asked), new Set([STATES]));
  },
);

test('troubled assets are listed first, the others are counted by their state', CONSOLE, async (t) => {
  const { enter } = await startConsole(t, {
    drivers: [
      { pid: 'line', type: 'modbus', host: '127.0.0.1', port: 1 },
      { pid: 'silent', type: 'modbus', host: '127.0.0.1', port: 1 },
    ],
    assets: [...createAssets(20, 'line'), ...createAssets(2, 'silent')],
  });
  const page = await enter();
  await page.getByText('22 not polled yet').waitFor();
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken };
    await fetch('/services/drivers/v1/silent/_test', { method: 'POST', headers });
  })()`);
  const rows = page.locator('.overview-assets tbody tr');
  await rows.getByText('no connection').first().waitFor();
  assert.equal(await rows.count(), 2);
  await page.getByText('20 not polled yet').waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Show all 22' }).click();
  assert.match((await rows.first().innerText()) ?? '', /silentAsset000/);
  assert.equal(await rows.count(), 22);
  await page.getByRole('button', { name: 'Show only assets with errors' }).click();
  assert.equal(await rows.count(), 2);
});
