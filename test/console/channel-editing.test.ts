import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole, WELL_PUMP } from './support/console-page.ts';
import { waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const MANY = 5000;
// Several times what it takes on an idle machine.
const LONGEST_EDIT_MS = 3000;

function cell(page: Page, row: number, key: string) {
  return page.locator(`.channel-grid [data-row="${row}"] [data-key="${key}"]`);
}

async function fillCell(page: Page, row: number, key: string, text: string): Promise<void> {
  await cell(page, row, key).fill(text);
  await cell(page, row, key).press('Enter');
}

/** Pastes a text into the focused cell, as a spreadsheet puts it on the clipboard. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }`);
}

test(
  'channels are added, copied, edited and deleted in a table, and undone until the plan',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, { assets: [WELL_PUMP] });
    const page = await enter('#/assets/pump');
    await page.getByRole('link', { name: 'Edit channels' }).click();
    await cell(page, 0, 'name').waitFor();
    await checkAccessibility(page);
    const names = (): Promise<readonly string[]> =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.channel-grid [data-key="name"]')].map(({ value }) => value)`,
      );
    const before = await names();

    await page.getByRole('button', { name: 'Add a channel' }).click();
    await fillCell(page, 3, 'name', 'return');
    await fillCell(page, 3, 'address.offset', '9');
    await fillCell(page, 3, 'valueScale', '0,1');
    await cell(page, 3, 'valueType').selectOption('DOUBLE');
    await page.getByLabel('Select level').check();
    await page.getByRole('button', { name: 'Copy' }).click();
    assert.deepEqual(await names(), ['setpoint', 'level', 'level-2', 'count', 'return']);
    await page.getByRole('button', { name: 'Delete' }).click();
    assert.deepEqual(await names(), ['setpoint', 'level-2', 'count', 'return']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.deepEqual(await names(), [...before, 'return']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await cell(page, 0, 'name').focus();
    await page.keyboard.press('Control+z');
    assert.deepEqual(await names(), [...before, 'return']);

    // Where there is room for it, the value in the configuration follows the name of a choice.
    const table = cell(page, 3, 'address.table');
    assert.equal(await table.locator('option:checked').textContent(), 'Holding registers');
    assert.match((await table.getAttribute('title')) ?? '', /^HOLDING_REGISTERS: /);
    await page.getByRole('button', { name: 'Details of return' }).click();
    const access = page.locator('.channel-form [data-key="type"]');
    assert.equal(await access.locator('option:checked').textContent(), 'Read only (READ)');
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Read now' }).click();
    await page.locator('.channel-grid [data-row="3"] .tried').getByText('0.9').waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    const body = (await sent).postDataJSON() as { readonly channels: readonly Record<string, unknown>[] };
    assert.match((await sent).url(), /\/assets\/pump\?dryRun=true$/);
    assert.equal(body.channels.length, 4);
    assert.equal(body.channels[3]?.['valueScale'], 0.1);
    await page
      .locator('section.plan')
      .getByText(/return/)
      .first()
      .waitFor();
    const differences = await page.innerText('section.plan .differences');
    assert.match(
      differences,
      /added\s+assets\/pump return .*Register type "HOLDING_REGISTERS", .*Address 9, /,
    );
    assert.doesNotMatch(differences, /[{}]/);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Confirmed.').waitFor();
  },
);

test(
  'faults stand at their cells: those of the schema at once, those of the gateway after the plan',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, { assets: [WELL_PUMP] });
    const page = await enter('#/devices/channels/pump');
    await cell(page, 0, 'name').waitFor();
    await fillCell(page, 1, 'address.offset', 'eight');
    await cell(page, 1, 'address.offset').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByText('Cells with errors: 1').waitFor();
    await fillCell(page, 1, 'address.offset', '70000');
    await cell(page, 1, 'address.offset').and(page.getByTitle('Expected 0 to 65535.')).waitFor();
    await fillCell(page, 1, 'address.offset', '8');
    await page.getByText('Cells with errors: 1').waitFor({ state: 'detached' });
    await fillCell(page, 0, 'valueScale', '0');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await cell(page, 0, 'valueScale').and(page.locator('[aria-invalid=true]')).waitFor();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Next error' }).click();
    assert.equal(await page.evaluate<string>('document.activeElement.dataset.key'), 'valueScale');
    // A form shows the message, too.
    await page.getByRole('button', { name: 'Details of setpoint' }).click();
    await page.locator('.channel-form .state.fault').first().waitFor();
  },
);

test(
  'a block from a German spreadsheet fills cells, and a register map becomes channels',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, { assets: [WELL_PUMP] });
    const page = await enter('#/devices/channels/pump');
    await cell(page, 2, 'valueScale').focus();
    await paste(page, '0,5\tm\n0,25\tbar');
    assert.equal(await cell(page, 2, 'valueScale').inputValue(), '0.5');
    // Beyond the last row is a new channel.
    assert.equal(await cell(page, 3, 'valueScale').inputValue(), '0.25');
    await page.getByRole('button', { name: 'Paste a table' }).click();
    await page
      .locator('.paste-panel textarea')
      .fill(
        'Bezeichnung;Register;Datentyp;Faktor;Einheit;Seite\nVorlauf;40013;INT16;0,1;°C;3\nDruck;40014;UINT16;0,01;bar;3\n',
      );
    assert.equal(await page.inputValue('select[name=addressing]'), 'BY_TABLE');
    await page.getByText('Ignored columns: Seite').waitFor();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Add channels (2)' }).click();
    assert.equal(await cell(page, 4, 'name').inputValue(), 'Vorlauf');
    assert.equal(await cell(page, 4, 'address.offset').inputValue(), '12');
    assert.equal(await cell(page, 5, 'valueScale').inputValue(), '0.01');
  },
);

test('a change of another person in the meantime is shown per key, and both are kept', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t, { assets: [WELL_PUMP] });
  const page = await enter('#/devices/channels/pump');
  await fillCell(page, 1, 'unit', 'cm');
  const other = await enter('#/devices/channels/pump');
  await fillCell(other, 0, 'unit', 'K');
  await other.getByRole('button', { name: 'Plan', exact: true }).click();
  await other.getByRole('button', { name: 'Apply' }).click();
  await other.getByRole('button', { name: 'Confirm' }).click();
  await other.getByText('Confirmed.').waitFor();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  const conflict = page.locator('.conflict');
  await conflict.getByText('channels/setpoint unit').waitFor();
  await conflict.getByRole('button', { name: 'Continue with selection' }).click();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').waitFor();
  assert.equal(await cell(page, 0, 'unit').inputValue(), 'K');
  assert.equal(await cell(page, 1, 'unit').inputValue(), 'cm');
  await page.goto(`${base}/#/overview`);
});

test(
  'edits in the table outlive a change of page and a reload, and the text shows them',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, { assets: [WELL_PUMP] });
    const page = await enter('#/devices/channels/pump');
    await fillCell(page, 0, 'name', 'target');
    const notice = page.getByRole('link', { name: '1 draft' });
    await notice.waitFor();
    await page.locator('.rail a', { hasText: 'Overview' }).click();
    await page.locator('.channel-grid').waitFor({ state: 'detached' });
    await page.goBack();
    await cell(page, 0, 'name').waitFor();
    assert.equal(await cell(page, 0, 'name').inputValue(), 'target');
    await fillCell(page, 1, 'name', 'height');
    await page.reload();
    await cell(page, 0, 'name').waitFor();
    assert.equal(await cell(page, 0, 'name').inputValue(), 'target');
    assert.equal(await cell(page, 1, 'name').inputValue(), 'height');
    await notice.click();
    await waitForLine(page, '  - name: target');
    await waitForLine(page, '  - name: height');
    await page.goBack();
    await page.getByRole('button', { name: 'Undo' }).click();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await cell(page, 0, 'name').inputValue(), 'setpoint');
  },
);

test('thousands of channels are edited: only the visible ones are rendered', CONSOLE, async (t) => {
  const channels = Array.from({ length: MANY }, (_, offset) => ({
    name: `c${offset}`,
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
  }));
  const { enter } = await startConsole(t, { assets: [{ pid: 'pump', driver: 'line', channels }] });
  const page = await enter('#/devices/channels/pump');
  await cell(page, 0, 'name').waitFor();
  assert.ok((await page.locator('.channel-row').count()) < 60);
  await page.evaluate(
    `{ const grid = document.querySelector('.channel-grid'); grid.scrollTop = grid.scrollHeight; }`,
  );
  await cell(page, MANY - 1, 'name').waitFor();
  const start = performance.now();
  await fillCell(page, MANY - 1, 'name', 'last');
  await page.getByLabel('Select last').waitFor();
  const tookMs = performance.now() - start;
  t.diagnostic(`edit of one of ${MANY} channels: ${tookMs.toFixed(0)} ms`);
  assert.ok(tookMs < LONGEST_EDIT_MS);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').waitFor();
});
