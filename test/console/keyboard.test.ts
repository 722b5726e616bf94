import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, startConsole } from './support/console-page.ts';
import { findEditor } from './support/edited-text.ts';
import { callInPage } from './support/in-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
// More places than any page has.
const MAXIMUM_PLACES = 120;
const MAXIMUM_CHECKS = 40;

interface Focused {
  /** Name of the place, as it is heard. */
  readonly name: string;
  /** Why it is not seen that the focus is there; empty: it is. */
  readonly fault: string;
}

/** Reads where the focus is, once that is drawn: an editor draws it a moment later. */
async function readFocus(page: Page): Promise<Focused> {
  for (let count = 0; ; count += 1) {
    const focused = await callInPage<Focused>(page, 'focus', 'readFocus');
    if (focused.fault === '' || count === MAXIMUM_CHECKS) return focused;
    await page.waitForTimeout(50);
  }
}

/** Presses Tab until the focus is on a place; on each on the way it must be seen that the focus is there (WCAG 2.2, 2.4.7 and 2.4.11). */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < MAXIMUM_PLACES; count += 1) {
    await page.keyboard.press(key);
    const focused = await readFocus(page);
    assert.equal(focused.fault, '', focused.name);
    if (name.test(focused.name)) return;
    passed.push(focused.name);
  }
  assert.fail(`${String(name)} is not among ${passed.join(', ')}`);
}

/** Goes to a page by its letter, with the focus at its begin. */
async function jump(page: Page, letter: string, heading: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

async function signInByKeys(page: Page): Promise<void> {
  await tabTo(page, /^Name/);
  await page.keyboard.type(CHIEF.name);
  await tabTo(page, /^Password/);
  await page.keyboard.type(CHIEF.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.shell');
}

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 640, height: 512 },
]) {
  const size = `${viewport.width} by ${viewport.height}`;

  test(`a value is written by keys alone, at ${size} pixels`, CONSOLE, async (t) => {
    const { open } = await startConsole(t);
    const page = await open({ viewport });
    await signInByKeys(page);
    await jump(page, 'a', 'Assets');
    await page.getByRole('link', { name: 'pump' }).waitFor();
    await tabTo(page, /^pump/);
    await page.keyboard.press('Enter');
    const setpoint = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
    await setpoint.getByText('good').waitFor();
    await tabTo(page, /^channels/);
    // What the rows are sorted by is chosen in the table.
    await tabTo(page, /^Value/);
    await tabTo(page, /^channels/, 'Shift+Tab');
    await page.keyboard.press('End');
    // What failed is told in whole where the focus is.
    await page.locator('.grid-detail', { hasText: /^missing: .*(exception|illegal)/i }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('w');
    await page.keyboard.type('61');
    await page.keyboard.press('Enter');
    await page.getByText('Would send 61 °C. Nothing is sent yet.').waitFor();
    await tabTo(page, /^Write 61/);
    await page.keyboard.press('Enter');
    await page.getByText('VERIFIED').waitFor();
    await tabTo(page, /^Close/, 'Shift+Tab');
    await page.keyboard.press('Escape');
    await page.locator('form.write').waitFor({ state: 'detached' });
    // Back where it was opened.
    await page.locator('.grid:focus').waitFor();
    await page.keyboard.press('t');
    await page.waitForURL(/#\/trends\?c=pump\/setpoint/);
    await page.waitForSelector('.uplot canvas');
  });

  test(`the configuration is changed and taken back by keys alone, at ${size} pixels`, CONSOLE, async (t) => {
    const { open } = await startConsole(t);
    const page = await open({ viewport });
    await signInByKeys(page);
    await jump(page, 'k', 'Configuration');
    await page.locator('.tree').getByRole('link', { name: 'line' }).waitFor();
    await tabTo(page, /^line/);
    await page.keyboard.press('Enter');
    await findEditor(page).waitFor();
    await tabTo(page, /drivers\/line/);
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('responseTimeoutMs: 3000\n');
    await page.keyboard.press('Control+Enter');
    await applyAndKeep(page);

    await jump(page, 'k', 'Configuration');
    await tabTo(page, /^Snapshots/);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Snapshot 1', exact: true }).waitFor();
    await tabTo(page, /^Snapshot 1$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Plan rollback' }).waitFor();
    await tabTo(page, /^Plan rollback/);
    await page.keyboard.press('Enter');
    await applyAndKeep(page);
  });
}

/** Applies the change whose plan is shown, and keeps it. */
async function applyAndKeep(page: Page): Promise<void> {
  await page.locator('section.plan').waitFor();
  await tabTo(page, /^Apply/);
  await page.keyboard.press('Enter');
  await page.locator('.pending-panel').waitFor();
  await jump(page, 'k', 'Configuration');
  await tabTo(page, /^Confirm/);
  await page.keyboard.press('Enter');
  await page.getByText('Confirmed.').waitFor();
}

/** Plans a connection to a device on a port of this machine. */
async function planConnection(page: Page, port: number): Promise<void> {
  await jump(page, 'd', 'Devices');
  await tabTo(page, /^Add device/);
  await page.keyboard.press('Enter');
  await page.locator('#field-host').waitFor();
  await tabTo(page, /^Host host/);
  await page.keyboard.type('127.0.0.1');
  await tabTo(page, /^Port port/);
  await page.keyboard.type(String(port));
  await page.keyboard.press('Enter');
  await page.locator('.plan-step').waitFor();
  await tabTo(page, /^Name of the connection/);
  await page.keyboard.type('line2');
  await tabTo(page, /^Plan/);
  await page.keyboard.press('Enter');
  await page.locator('section.plan').waitFor();
}

test('a device is connected by keys alone', CONSOLE, async (t) => {
  const { open, device } = await startConsole(t, { drivers: [], assets: [] });
  const page = await open();
  await signInByKeys(page);
  await planConnection(page, device.port);
  await tabTo(page, /^Apply/);
  await page.keyboard.press('Enter');
  await page.locator('.pending-panel').waitFor();
  await tabTo(page, /^Confirm/);
  await page.keyboard.press('Enter');
  await page.getByText('Confirmed.').waitFor();
});

test('the focus stays on the screen when values of a device arrive above it', CONSOLE, async (t) => {
  const { open, device } = await startConsole(t, { drivers: [], assets: [] });
  const page = await open();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/_try', async (request) => {
    await released;
    await request.continue();
  });
  await signInByKeys(page);
  await planConnection(page, device.port);
  await tabTo(page, /^Reverts/);
  release();
  await page.getByText('Values of the device').waitFor();
  const { name, fault } = await readFocus(page);
  assert.match(name, /^Reverts/);
  assert.equal(fault, '');
});

test(
  'content that arrives above the last control scrolls the page only while that has the focus',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter('#/configuration');
    await page.getByRole('link', { name: 'Snapshots' }).waitFor();
    const scrollAfter = (leave: string) =>
      page.evaluate<number>(`(async () => {
      const frames = async () => { for (let count = 0; count < 3; count += 1) await new Promise(requestAnimationFrame); };
      const main = document.querySelector('main');
      const control = [...main.querySelectorAll('a')].at(-1);
      control.focus();
      ${leave}
      await frames();
      const above = document.createElement('div');
      above.style.height = '3000px';
      main.prepend(above);
      await new Promise((resolve) => {
        new IntersectionObserver(([entry]) => { if (!entry.isIntersecting) resolve(); }).observe(control);
      });
      await frames();
      const { scrollTop } = main;
      above.remove();
      return scrollTop;
    })()`);
    assert.ok((await scrollAfter('')) > 0);
    assert.equal(await scrollAfter('control.blur();'), 0);
  },
);

test('the focus is seen on every part of a field for a time', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/record/audit');
  await page.locator('.audit-table td').first().waitFor();
  await tabTo(page, /^From/);
  await tabTo(page, /^Load newest/);
});
