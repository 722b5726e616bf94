import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

// A browser keeps six connections to the gateway over HTTP/1.1.
const TABS = 8;

test(
  'with seven tabs open the eighth loads, and all of them show what changes',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { base, enter } = await startConsole(t);
    const first = await enter('#/assets/pump');
    const pages: Page[] = [first];
    const setpointOf = (page: Page) => page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
    await setpointOf(first).getByText('good').waitFor();
    while (pages.length < TABS) {
      const page = await first.context().newPage();
      pages.push(page);
      await page.goto(`${base}/#/assets/pump`);
      await setpointOf(page).getByText('good').waitFor();
    }
    const last = pages.at(-1) ?? first;
    await setpointOf(last).getByRole('button', { name: 'Write' }).click();
    await last.locator('form.write input[name=value]').fill('61');
    await last.keyboard.press('Enter');
    await last.locator('form.write button.main').click();
    await last.getByText('VERIFIED').waitFor();
    for (const page of pages) {
      await setpointOf(page).locator('.cell.value').getByText('61', { exact: true }).waitFor();
      assert.equal(await setpointOf(page).locator('.cell.quality').innerText(), 'good');
    }
    // Tabs that are closed leave their streams to the others.
    for (const page of pages.slice(0, 4)) await page.close();
    const opened = last.waitForResponse((response) => response.url().includes('/_listen'));
    await opened;
    assert.equal(await setpointOf(last).locator('.cell.quality').innerText(), 'good');
  },
);
