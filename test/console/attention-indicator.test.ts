import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { WELL_PUMP, checkAccessibility, signOut, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

async function waitForTitle(page: Page, title: string): Promise<void> {
  await page.locator(`xpath=//title[text()="${title}"]`).waitFor({ state: 'attached' });
}

/** How the icon of the tab is drawn, of which a browser makes a picture. */
async function readIcon(page: Page): Promise<{ readonly href: string; readonly width: number }> {
  return page.evaluate(`(async () => {
    const { href } = document.querySelector('link[rel=icon]');
    const picture = new Image();
    picture.src = href;
    await picture.decode();
    return { href, width: picture.naturalWidth };
  })()`);
}

test(
  'every page and its tab say that something needs somebody, and lead to what it is',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t, { assets: [WELL_PUMP] });
    const page = await started.enter('#/assets/pump');
    await page.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
    await page.locator('.strip').getByText('Live').waitFor();
    assert.equal(await page.title(), 'Assets · Penstock');
    const calm = await readIcon(page);
    await started.device.close();
    const indicator = page.locator('.strip a.attention-indicator.attention');
    await indicator.getByText('1 needs attention').waitFor();
    await waitForTitle(page, '▲ 1 · Assets · Penstock');
    const attention = await readIcon(page);
    assert.notEqual(attention.href, calm.href);
    assert.ok(attention.width > 0 && calm.width > 0);
    await checkAccessibility(page);
    await indicator.click();
    await page.locator('.summary.attention').getByText('1 item needs attention.').waitFor();
    // Read from three metres.
    assert.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('.summary strong')).fontSize`),
      '28px',
    );
    await page.locator('.attention-list li', { hasText: 'line: no connection' }).waitFor();
    await checkAccessibility(page);
  },
);

test(
  'a fault looks otherwise than what needs attention, and who is signed out is told nothing',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/software');
    writeFileSync(started.gateway.configFile, 'http: 1');
    started.gateway.process.kill('SIGHUP');
    await page.locator('.strip a.attention-indicator.fault').getByText('1 needs attention').waitFor();
    await waitForTitle(page, '✕ 1 · Software · Penstock');
    const fault = await readIcon(page);
    await page.locator('.strip a.attention-indicator').click();
    await page.locator('.summary.fault').waitFor();
    await checkAccessibility(page);
    await signOut(page);
    await waitForTitle(page, 'Sign in · Penstock');
    assert.notEqual((await readIcon(page)).href, fault.href);
  },
);

test('the tab tells what needs somebody while another one is seen', CONSOLE, async (t) => {
  const started = await startConsole(t, { assets: [WELL_PUMP] });
  const page = await started.enter('#/assets/pump');
  await page.locator('.grid-row', { hasText: 'level' }).getByText('good').waitFor();
  await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })`);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await started.device.close();
  await waitForTitle(page, '▲ 1 · Assets · Penstock');
});
