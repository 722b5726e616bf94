import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, startConsole } from './support/console-page.ts';
import { readText, replaceText } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const DEPUTY = { name: 'deputy', password: 'console-turbine-password', permissions: ['rest.configuration'] };

/** Types into the wizard until it has found something, then ends the session below the page. */
async function scanUntilSessionEnds(page: Page, port: number): Promise<void> {
  await page.fill('#field-host', '127.0.0.1');
  await page.fill('#field-port', String(port));
  await page.getByText('Other settings').click();
  await page.locator('#field-responseTimeoutMs').fill('1234');
  await page.getByRole('button', { name: 'Scan' }).click();
  await page.fill('.plan-step input[name=pid]', 'line2');
  await page.context().clearCookies();
  // What the page asks by itself may have shown the panel before.
  await page.locator('button', { hasText: /^Plan$/ }).dispatchEvent('click');
  await page.waitForSelector('dialog.sign-in-panel[open]');
}

async function signInOnPanel(page: Page, { name, password }: typeof CHIEF | typeof DEPUTY): Promise<void> {
  await page.fill('dialog input[name=username]', name);
  await page.fill('dialog input[name=password]', password);
  await page.click('dialog button[type=submit]');
  await page.waitForSelector('dialog.sign-in-panel', { state: 'detached' });
}

test(
  'a session that ends in the middle of connecting a device takes nothing that was typed or found',
  CONSOLE,
  async (t) => {
    const { enter, device } = await startConsole(t, { drivers: [], assets: [] });
    const page = await enter('#/devices/add');
    await scanUntilSessionEnds(page, device.port);
    const finds = await page.locator('.finds li').allInnerTexts();
    await signInOnPanel(page, CHIEF);
    assert.equal(await page.locator('#field-host').inputValue(), '127.0.0.1');
    assert.equal(await page.locator('#field-port').inputValue(), String(device.port));
    assert.equal(await page.locator('#field-responseTimeoutMs').inputValue(), '1234');
    assert.equal(await page.locator('.plan-step input[name=pid]').inputValue(), 'line2');
    assert.deepEqual(await page.locator('.finds li').allInnerTexts(), finds);
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.locator('section.plan .differences').getByText('drivers/line2').first().waitFor();
  },
);

test('whoever signs in instead of another sees nothing of what that one typed', CONSOLE, async (t) => {
  const { base, enter, device } = await startConsole(t, {
    drivers: [],
    assets: [],
    identities: [{ ...CHIEF, permissions: ['rest.admin'] }, DEPUTY],
  });
  const page = await enter('#/configuration/banners');
  await replaceText(page, 'preLogin: { enabled: true, message: not ready yet }');
  await page.locator('.strip').getByText('1 draft').waitFor();
  await page.goto(`${base}/#/devices/add`);
  await scanUntilSessionEnds(page, device.port);
  await signInOnPanel(page, DEPUTY);
  await page.locator('.strip').getByText('deputy').waitFor();
  await page.locator('#field-host').waitFor();
  assert.equal(await page.locator('#field-host').inputValue(), '');
  assert.equal(await page.locator('.plan-step').count(), 0);
  assert.equal(await page.locator('.strip').getByText('draft').count(), 0);
  await page.goto(`${base}/#/configuration/banners`);
  assert.doesNotMatch(await readText(page), /not ready yet/);
  await page.reload();
  assert.doesNotMatch(await readText(page), /not ready yet/);
});
