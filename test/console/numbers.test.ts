import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const NAMES = ['tenths', 'hundredths', 'thousandths', 'whole'] as const;
const UNIT = { unitId: 1, table: 'HOLDING_REGISTERS' } as const;

// The first whole number that a double does not hold.
const DIGITS = '9007199254740993';
const SHOWN = '9,007,199,254,740,993';

const rowOf = (page: Page, name: string) => page.locator('.grid-row:not(.head)', { hasText: name });

/** What the clipboard holds, as a field takes it. */
async function paste(page: Page): Promise<string> {
  const field = page.locator('input[type=search]');
  await field.fill('');
  await field.focus();
  await page.keyboard.press('Control+V');
  const text = await field.inputValue();
  await field.fill('');
  return text;
}

test(
  'a number that no double holds is whole wherever it is shown, written, copied and saved',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t, {
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: [
            {
              name: 'total',
              type: 'READ_WRITE',
              valueType: 'LONG',
              unit: 'Wh',
              address: { ...UNIT, offset: 300, dataType: 'INT64' },
              write: { verify: {} },
            },
            // 12594 holds the characters 12, the next register 13.
            {
              name: 'serial',
              type: 'READ',
              valueType: 'STRING',
              address: { ...UNIT, offset: 12_594, dataType: 'STRING', length: 16 },
            },
          ],
        },
      ],
    });
    const page = await enter('#/assets/pump');
    await rowOf(page, 'total').getByText('good').waitFor();
    // A text of digits is no number.
    assert.equal(await rowOf(page, 'serial').locator('.cell.value').innerText(), '1213141516171819');
    await page.focus('.grid');
    await page.keyboard.press('w');
    const panel = page.locator('form.write');
    // As it is copied from where it is shown.
    await panel.locator('input[name=value]').fill(SHOWN);
    await page.keyboard.press('Enter');
    await panel.getByText(`Would send ${SHOWN} Wh. Nothing is sent yet.`).waitFor();
    const sent = page.waitForRequest((request) => request.url().endsWith('/_write'));
    await panel.getByRole('button', { name: `Write ${SHOWN} Wh` }).click();
    assert.match((await sent).postData() ?? '', new RegExp(`"value":"?${DIGITS}"?[,}]`));
    await panel.getByText(`Device value: ${SHOWN} Wh.`).waitFor();
    await rowOf(page, 'total').locator('.cell.value', { hasText: SHOWN }).waitFor();
    await panel.getByText(`now ${SHOWN} Wh`).waitFor();

    await page.focus('.grid');
    await page.keyboard.press('Control+C');
    assert.equal(await paste(page), DIGITS);
    await rowOf(page, 'total').locator('.cell.value .values').selectText();
    await page.keyboard.press('Control+C');
    assert.equal(await paste(page), DIGITS);

    await page.goto(`${page.url().split('#')[0] ?? ''}#/trends?c=pump/total`);
    await page.mouse.move(0, 0);
    await page.locator('.curve-list td.number', { hasText: SHOWN }).waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    await page.locator('.wide-table td', { hasText: SHOWN }).first().waitFor();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    assert.match(
      await readFile(await (await coming).path(), 'utf8'),
      new RegExp(`,pump,total,${DIGITS},Wh,\r\n`),
    );
  },
);

/** Where the decimal sign of each number is, or would be behind one without decimals, from the left in pixels. */
const DECIMAL_SIGNS = `[...document.querySelectorAll('CELLS')].map((cell) => {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
  const [, whole] = /^(\\(?[\\d,]+)/.exec(text.data);
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, whole.length);
  return range.getBoundingClientRect().right;
})`;

test(
  'decimal signs are below each other, whatever the decimals, and stay there when a value fails',
  CONSOLE,
  async (t) => {
    const channel = (name: string, offset: number, valueScale: number) => ({
      name,
      type: 'READ',
      valueType: 'FLOAT',
      valueScale,
      address: { ...UNIT, offset, dataType: 'UINT16' },
    });
    const { enter, device } = await startConsole(t, {
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: [
            channel('tenths', 601, 0.1),
            channel('hundredths', 12_345, 0.01),
            channel('thousandths', 7, 0.001),
            { ...channel('whole', 45_678, 1), valueType: 'INTEGER' },
          ],
        },
      ],
    });
    const page = await enter('#/assets/pump');
    const shown = ['60.1', '123.45', '0.007', '45,678'];
    const waitForValues = async (wanted: readonly string[]): Promise<void> => {
      for (const [index, text] of wanted.entries()) {
        await page
          .locator('.grid-row:not(.head)')
          .nth(index)
          .locator('.cell.value')
          .getByText(text, { exact: true })
          .waitFor();
      }
    };
    const readSigns = (cells: string) => page.evaluate<number[]>(DECIMAL_SIGNS.replace('CELLS', cells));
    const assertInOneColumn = (places: readonly number[], count: number): void => {
      assert.equal(places.length, count);
      assert.ok(Math.max(...places) - Math.min(...places) < 0.5, places.join(' '));
    };
    await waitForValues(shown);
    const before = await readSigns('.grid-row:not(.head) .cell.value');
    assertInOneColumn(before, 4);
    await page.goto(
      `${page.url().split('#')[0] ?? ''}#/trends?c=${NAMES.map((name) => `pump/${name}`).join(',')}`,
    );
    for (const text of shown)
      await page.locator('.curve-list td.number').getByText(text, { exact: true }).waitFor();
    assertInOneColumn(await readSigns('.curve-list td.number .values'), 4);
    await page.goto(`${page.url().split('#')[0] ?? ''}#/assets/pump`);
    await waitForValues(shown);
    await device.close();
    await waitForValues(shown.map((text) => `(${text})`));
    const after = await readSigns('.grid-row:not(.head) .cell.value');
    assertInOneColumn([...before, ...after], 8);
  },
);
