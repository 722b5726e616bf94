import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { findLastWrite } from '../../daemon/console/views/assets/last-writes.ts';
import { needs } from '../support/tests-that-need.ts';
import { shareConsole, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test('an asset leads to its channels, its connection and its audit events', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  for (const [name, place] of [
    ['line', '#/configuration/drivers/line'],
    ['Edit channels', '#/devices/channels/pump'],
    ['Requests', '#/devices/line/line'],
    ['Audit', '#/record/audit?search=pump'],
  ] as const) {
    const link = page.locator('.asset-head').getByRole('link', { name, exact: true });
    assert.equal(await link.getAttribute('href'), place);
  }
});

test(
  'a channel that fails leads to the identification of its register, with both chosen',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('#/assets/pump');
    const row = page.locator('.grid-row:not(.head)', { hasText: 'missing' });
    await row.locator('.state.fault').waitFor();
    await row.getByRole('link', { name: 'Identify the register' }).click();
    const form = page.locator('section.decode');
    await form.waitFor();
    const chosen = form.locator('select');
    assert.equal(await chosen.nth(0).inputValue(), 'pump');
    await chosen.nth(1).locator('option:checked', { hasText: 'missing' }).waitFor({ state: 'attached' });
  },
);

test('who wrote a channel last is shown at its row and above the next write', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/assets/pump');
  const row = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
  await row.getByText('good').waitFor();
  await row.getByRole('button', { name: 'Write' }).click();
  const panel = page.locator('form.write');
  await panel.locator('input[name=value]').fill('61');
  await panel.locator('button[type=submit]').click();
  await panel.locator('button.main').click();
  await panel.getByText('VERIFIED').waitFor();
  await panel
    .locator('.last-write')
    .getByText(/^Last written by chief, [\d:]+: 61$/)
    .waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await page
    .locator('.grid-detail')
    .getByText(/Last written by chief/)
    .waitFor();

  // The audit event leads back to the channel, that of a change to its snapshot.
  await page.locator('.asset-head').getByRole('link', { name: 'Audit' }).click();
  const written = page.locator('.audit-table tr', { hasText: 'Write pump' }).first();
  await written.locator('summary').click();
  const link = written.getByRole('link', { name: 'pump/setpoint' });
  assert.equal(await link.getAttribute('href'), '#/assets/pump?filter=setpoint');
  await page.locator('input[name=search]').fill('snapshot: 1');
  const changed = page.locator('.audit-table tr', { hasText: 'Change configuration' }).first();
  await changed.locator('summary').click();
  await changed.getByRole('link', { name: 'Snapshot 1' }).click();
  await page.waitForURL(/#\/configuration\/snapshots\/1$/);
});

test('the live table is saved as CSV with what the filter leaves', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump?filter=level');
  await page.locator('.grid-row:not(.head)', { hasText: 'level' }).getByText('good').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), 'pump.csv');
  const [head, ...rows] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  assert.equal(head, 'asset,channel,value,unit,quality,time');
  assert.equal(rows.length, 1);
  assert.match(rows[0] ?? '', /^pump,level,\d+,mm,good,\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/);
});

test('findLastWrite distinguishes channels whose names begin alike, and finds refused writes', () => {
  const event = { id: 1, time: 5, event: 'CHANNEL_WRITE', outcome: 'SUCCESS', identity: 'chief' } as const;
  const detail = {
    asset: 'pump',
    channels: 2,
    failed: 1,
    'channels[0]': 'SUCCESS levelHigh 3',
    before: '2 at 1',
  };
  const refused = { ...detail, 'channels[1]': 'FAILURE MODBUS_EXCEPTION level 7, requested 7.2' };
  assert.equal(findLastWrite([{ ...event, detail }], 'level'), undefined);
  assert.deepEqual(findLastWrite([{ ...event, detail: refused }], 'level'), {
    identity: 'chief',
    timeMs: 5,
    value: '7, requested 7.2',
    failureCode: 'MODBUS_EXCEPTION',
  });
});
