import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

/** Returns where each row of the live table lies, and how high it is. */
function measureRows(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(`[...document.querySelectorAll('.grid-row')].map((row) => {
    const { x, y, width, height } = row.getBoundingClientRect();
    return [row.querySelector('.cell')?.textContent, x, y, width, height];
  })`);
}

for (const [width, height] of [
  [1440, 900],
  [360, 740],
] as const) {
  test(
    `a device that is unplugged says why in its row, nothing jumps, and its values return: ${width} px`,
    CONSOLE,
    async (t) => {
      const { enter, device } = await startConsole(t);
      const page = await enter('#/assets/pump', { viewport: { width, height } });
      const row = page.locator('.grid-row:not(.head)', { hasText: 'level' });
      const value = row.locator('.cell.value');
      await value.getByText('8', { exact: true }).waitFor();
      await page.getByText('3 of 4 good').waitFor();
      await page.locator('header').getByText('answering').waitFor();
      const before = await measureRows(page);

      await device.close();
      await value.getByText('(8)').waitFor();
      await row.getByText(/ECONNREFUSED|closed|no connection|not connected/i).waitFor();
      await page
        .locator('header')
        .getByText(/no connection|connecting/)
        .waitFor();
      assert.deepEqual(await measureRows(page), before);

      const again = await startLibmodbusServer(device.port);
      t.after(() => again.close());
      await value.getByText('8', { exact: true }).waitFor();
      await page.getByText('3 of 4 good').waitFor();
      await page.locator('header').getByText('answering').waitFor();
      assert.deepEqual(await measureRows(page), before);
    },
  );
}

test(
  'the state of a connection is there with the first value that tells of it, whatever is asked for later',
  CONSOLE,
  async (t) => {
    const { enter, device, base } = await startConsole(t);
    const page = await enter('#/access');
    // What is asked for again after a while would tell as well.
    await page.addInitScript(`{
      const original = window.setInterval;
      window.setInterval = (task, ms, ...rest) => (ms === 5000 ? 0 : original(task, ms, ...rest));
    }`);
    await page.reload();
    await page.goto(`${base}/#/assets/pump`);
    const head = page.locator('.asset-head');
    await page.getByText('3 of 4 good').waitFor();
    await head.getByText('answering').waitFor();
    await device.close();
    await page.getByText('0 of 4 good').waitFor();
    await head.getByText(/no connection|connecting/).waitFor();
    const again = await startLibmodbusServer(device.port);
    t.after(() => again.close());
    await page.getByText('3 of 4 good').waitFor();
    await head.getByText('answering').waitFor();
  },
);

test(
  'since when a device is silent stands still on the overview while it is tried again',
  CONSOLE,
  async (t) => {
    const { enter, device } = await startConsole(t);
    const page = await enter('#/overview');
    // Somebody has to want the values: nobody asks a device otherwise.
    const other = await page.context().newPage();
    await other.goto(page.url().replace('overview', 'assets/pump'));
    await other.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
    device.hold();
    const trouble = page.locator('.attention-list li', { hasText: 'unit 1' });
    const since = trouble.getByText(/^since/);
    await since.waitFor();
    const words = await since.innerText();
    const seen = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
    const seen = new Set();
    const look = () => {
      const item = document.querySelector('.attention-list li');
      seen.add(item?.querySelector('.soft')?.textContent ?? 'gone');
    };
    const watch = new MutationObserver(look);
    watch.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
    look();
    // Several attempts long.
    setTimeout(() => resolve([...seen]), 22000);
  })`);
    assert.deepEqual(seen, [words]);
  },
);
