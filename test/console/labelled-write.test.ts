import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 1, dataType: 'UINT16' };
const MODE = {
  name: 'mode',
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  labels: { '0': 'Off', '1': 'Heating', '2': 'Cooling' },
  address,
};
const FAN = {
  name: 'fan',
  type: 'READ_WRITE',
  valueType: 'BOOLEAN',
  labels: { '0': 'Slow', '1': 'Fast' },
  address: { unitId: 1, table: 'COILS', offset: 1, dataType: 'BOOLEAN' },
};

test(
  'labels appear with values, and a write chooses one of them',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const assets = [{ pid: 'pump', driver: 'line', channels: [MODE, FAN] }];
    const { enter } = await startConsole(t, { assets });
    const page = await enter('#/assets/pump');
    const row = page.locator('.grid-row:not(.head)', { hasText: 'mode' });
    await row.getByText('Heating').waitFor();
    await page.locator('.grid-row:not(.head)', { hasText: 'fan' }).getByText('Fast').waitFor();
    await row.getByRole('button', { name: 'Write' }).click();
    const panel = page.locator('form.write');
    const choice = panel.getByLabel('New value');
    assert.deepEqual(await choice.locator('option').allTextContents(), [
      '–',
      '0 Off',
      '1 Heating',
      '2 Cooling',
      'Other value …',
    ]);
    await choice.selectOption('2');
    await panel.getByRole('button', { name: 'Check' }).click();
    await panel.getByRole('button', { name: 'Write 2 (Cooling)' }).click();
    await panel.getByText('ACKNOWLEDGED').waitFor();
    await row.getByText('Cooling').waitFor();
    // A value without a label is typed.
    await choice.selectOption('other');
    await panel.getByLabel('New value').fill('7');
    await panel.getByRole('button', { name: 'Check' }).click();
    await panel.getByRole('button', { name: 'Write 7' }).click();
    await row.getByText('7', { exact: true }).waitFor();

    await page
      .locator('.grid-row:not(.head)', { hasText: 'fan' })
      .getByRole('button', { name: 'Write' })
      .click();
    await panel.getByLabel('Slow').check();
    await panel.getByRole('button', { name: 'Check' }).click();
    await panel.getByRole('button', { name: 'Write false (Slow)' }).click();
    await page.locator('.grid-row:not(.head)', { hasText: 'fan' }).getByText('Slow').waitFor();
  },
);
