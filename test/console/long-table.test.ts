import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const COUNT = 10_000;

// Registers hold their offset: the last channel has the lowest value.
const CHANNELS = Array.from({ length: COUNT }, (_, index) => ({
  name: `channel${String(index).padStart(4, '0')}`,
  type: index === 0 ? 'READ_WRITE' : 'READ',
  valueType: 'INTEGER',
  address: {
    unitId: 1,
    table: 'HOLDING_REGISTERS',
    // There is no such register behind the channel in the middle.
    offset: index === COUNT / 2 ? 60_005 : COUNT - index,
    dataType: 'UINT16',
  },
}));

test(
  'a table of 10,000 channels has rows for what is seen alone, and reaches, finds and sorts them all',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, {
      assets: [{ pid: 'hall', driver: 'line', channels: CHANNELS }],
    });
    const page = await enter('#/assets/hall');
    const rows = page.locator('.grid-rows [role=row]');
    const row = (name: string) => rows.filter({ hasText: name });
    const shows = (name: string, value: string) =>
      row(name).locator('.cell.value').getByText(value, { exact: true }).waitFor();
    await shows('channel0000', '10,000');
    await page.getByText('9,999 of 10,000 good').waitFor();
    // With that of the titles (WAI-ARIA 1.2, aria-rowcount).
    assert.equal(await page.getAttribute('[role=grid]', 'aria-rowcount'), String(COUNT + 1));
    assert.ok((await rows.count()) < 60);
    await checkAccessibility(page);

    await page.focus('.grid');
    await page.keyboard.press('End');
    await shows('channel9999', '1');
    assert.ok((await rows.count()) < 60);
    assert.equal(await page.locator('.grid-row.active').getAttribute('aria-rowindex'), String(COUNT + 1));
    await page.keyboard.press('PageUp');
    await page.keyboard.press('PageDown');
    assert.match(await page.locator('.grid-row.active').innerText(), /channel9999/);
    await page.keyboard.press('Home');
    await shows('channel0000', '10,000');

    await page.locator('.head .sorting').click();
    assert.equal(await page.getAttribute('[role=columnheader].value', 'aria-sort'), 'ascending');
    assert.match(await rows.first().innerText(), /channel9999/);
    await page.focus('.grid');
    await page.keyboard.press('End');
    await row('channel5000')
      .getByText(/exception|illegal/i)
      .waitFor();
    await page.locator('.head .sorting').click();
    await page.focus('.grid');
    await page.keyboard.press('Home');
    await shows('channel0000', '10,000');
    assert.match(page.url(), /sort=-value/);
    await page.keyboard.press('End');
    await row('channel5000').waitFor();

    // A link to the sorted table, with the pointer on the rows before they stand still.
    await page.goto(page.url().replace('sort=-value', 'sort=value'));
    await page.reload();
    await rows.first().hover();
    await shows('channel9999', '1');
    assert.match(await rows.first().innerText(), /channel9999/);

    await page.fill('input[type=search]', 'channel7777');
    await shows('channel7777', '2,223');
    assert.equal(await rows.count(), 1);
    await page.fill('input[type=search]', '');
    await page.getByRole('button', { name: 'Bad 1' }).click();
    await row('channel5000').waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: 'Writable 1' }).click();
    await shows('channel0000', '10,000');
    await page.focus('.grid');
    await page.keyboard.press('w');
    await page.locator('form.write').getByText('now 10,000').waitFor();
  },
);
