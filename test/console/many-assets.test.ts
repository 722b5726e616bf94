import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const COUNT = 161;
const ASSETS = Array.from({ length: COUNT }, (_, index) => ({
  pid: `asset${String(index).padStart(3, '0')}`,
  driver: 'line',
  channels: [],
}));

test(
  'every one of many assets is shown with its state, for one request',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter } = await startConsole(t, { assets: ASSETS });
    const page = await enter();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/services/assets')) asked.push(pathname);
    });
    await page.reload();
    const last = page.locator('.overview-assets tbody tr').filter({ hasText: `asset${COUNT - 1}` });
    assert.match(await last.innerText(), /line\s+modbus/);
    assert.equal(await page.locator('.overview-assets tbody tr').count(), COUNT);
    assert.deepEqual(new Set(asked), new Set(['/services/assets/_status']));

    await page.goto(page.url().replace(/#.*/, '#/assets'));
    const row = page.locator('main tbody tr').filter({ hasText: `asset${COUNT - 1}` });
    assert.match(await row.innerText(), /line\s+modbus/);
    assert.deepEqual(new Set(asked), new Set(['/services/assets/_status']));
  },
);
