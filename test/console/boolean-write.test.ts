import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const PUMP_ON = {
  name: 'pumpOn',
  type: 'READ_WRITE',
  valueType: 'BOOLEAN',
  address: { unitId: 1, table: 'COILS', offset: 1, dataType: 'BOOLEAN' },
};

test('what a write of a BOOLEAN sends is chosen by the person', needs('chromium', 'libmodbus'), async (t) => {
  const assets = [{ pid: 'pump', driver: 'line', channels: [PUMP_ON] }];
  const { enter } = await startConsole(t, { assets });
  const page = await enter('#/assets/pump');
  const row = page.locator('.grid-row:not(.head)', { hasText: 'pumpOn' });
  await row.getByText('good').waitFor();
  await row.getByRole('button', { name: 'Write' }).click();
  const panel = page.locator('form.write');
  assert.equal(await panel.locator('input:checked').count(), 0);
  await panel.getByRole('button', { name: 'Check' }).click();
  await panel.getByText('Choose the value to send.').waitFor();
  assert.equal(await panel.locator('button.main').count(), 0);
  await panel.getByLabel('true', { exact: true }).check();
  await panel.getByRole('button', { name: 'Check' }).click();
  await panel.getByRole('button', { name: 'Write true' }).click();
  await panel.getByText('ACKNOWLEDGED').waitFor();
});
