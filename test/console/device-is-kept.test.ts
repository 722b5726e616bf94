import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

test(
  'a device is scanned before it is configured, planned, applied for a while, and kept',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter, device } = await startConsole(t, { drivers: [], assets: [] });
    const page = await enter('#/devices/add');
    await page.fill('#field-host', '127.0.0.1');
    await page.fill('#field-port', '70000');
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Scan' }).click();
    await page.locator('.schema-field .state.fault').waitFor();
    assert.equal(await page.getAttribute('#field-port', 'aria-invalid'), 'true');
    await page.fill('#field-port', String(device.port));
    await page.getByRole('button', { name: 'Scan' }).click();
    await page.fill('.plan-step input[name=pid]', 'line2');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.locator('section.plan .differences').getByText('drivers/line2').first().waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page
      .locator('.pending-panel')
      .getByText(/Reverts in/)
      .first()
      .waitFor();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Confirmed.').waitFor();
  },
);
