import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { layTcpCable } from '../support/tcp-cable.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

/** A row of the export: a value, or the begin of a gap with its cause. */
interface ExportedRow {
  readonly ms: number;
  readonly value: string;
  readonly gap: string;
}

async function exportRows(page: Page): Promise<readonly ExportedRow[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n').slice(1);
  return lines.map((line) => {
    const [time = '', , , value = '', , gap = ''] = line.split(',');
    return { ms: Date.parse(time), value, gap };
  });
}

/** Sets a value with the session of a page, as another client does. */
async function write(page: Page, value: number): Promise<void> {
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ channels: [{ name: 'setpoint', type: 'INTEGER', value: ${value} }] });
    const answer = await fetch('/services/assets/pump/_write', { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
}

/** Whether the gateway follows the channels for a listener, or for one that may come back. */
function isListenedTo(page: Page): Promise<boolean> {
  return page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const answer = await fetch('/services/assets/pump/_status', { headers: { 'X-XSRF-Token': xsrfToken } });
    if (!answer.ok) throw new Error(await answer.text());
    return 'listening' in (await answer.json());
  })()`);
}

/** Returns which rows of pixels the first curve is drawn in, at a part of the width of the plot, and whether it is hatched there. */
function look(
  page: Page,
  part: number,
): Promise<{ readonly rows: readonly number[]; readonly isHatched: boolean }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('.uplot canvas');
    const over = document.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const x = Math.round((over.left - box.left + ${part} * over.width) * devicePixelRatio);
    const top = Math.round((over.top - box.top) * devicePixelRatio);
    const height = Math.round(over.height * devicePixelRatio);
    // As wide as a stripe.
    const width = 12;
    const { data } = canvas.getContext('2d').getImageData(x - width / 2, top, width, height);
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
    const isNear = (index, [r, g, b]) => Math.abs(data[index] - r) + Math.abs(data[index + 1] - g) + Math.abs(data[index + 2] - b) < 24;
    const [curve, hairline] = [read('--curve-1'), read('--hairline')];
    const rows = [];
    let hatched = 0;
    for (let row = 0; row < height; row += 1) {
      let isCurve = false;
      let hairlines = 0;
      for (let column = 0; column < width; column += 1) {
        const index = 4 * (row * width + column);
        isCurve ||= data[index + 3] > 200 && isNear(index, curve);
        hairlines += data[index + 3] > 100 && isNear(index, hairline) ? 1 : 0;
      }
      if (isCurve) rows.push(row / height);
      // Not a line of the grid, which is all across.
      if (hairlines > 0 && hairlines < width / 2) hatched += 1;
    }
    return { rows, isHatched: hatched > height / 2 };
  })()`);
}

test(
  'after a sleep the trend is hatched for as long as nobody knows, and no line crosses it',
  CONSOLE,
  async (t) => {
    const { gateway, enter } = await startConsole(t);
    const plug = await layTcpCable(gateway.httpsPorts[0] ?? 0);
    t.after(() => plug.pull());
    const other = await enter();
    const page = await other.context().newPage();
    await page.goto(`https://127.0.0.1:${plug.port}/#/trends?c=pump/setpoint`);
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    await plug.pull();
    await write(other, 50);
    await write(other, 20);
    // For half a minute the gateway keeps what a listener that comes back has missed.
    while (await isListenedTo(other)) await other.waitForTimeout(1000);
    await plug.mend();
    await session.send('Page.setWebLifecycleState', { state: 'active' });
    await page.locator('.curve-list td.number', { hasText: '20' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const rows = await exportRows(page);
    assert.deepEqual(
      rows.map(({ value, gap }) => (gap === '' ? value : 'gap')),
      ['7', 'gap', '20'],
    );
    const [, gap, back] = rows;
    const lastedMs = (back?.ms ?? 0) - (gap?.ms ?? 0);
    assert.ok(lastedMs > 30_000, `hatched for ${lastedMs} ms`);
    const untilMs = Date.now();
    const middle = 1 - (untilMs - ((gap?.ms ?? 0) + lastedMs / 2)) / 300_000;
    const seen = await look(page, middle);
    // At the top stands the name of the curve.
    assert.deepEqual(
      seen.rows.filter((row) => row > 0.1),
      [],
    );
    assert.ok(seen.isHatched);
  },
);

test(
  'a trend is hatched while the gateway is away, also when another run of it goes on',
  CONSOLE,
  async (t) => {
    const { enter, kill, startAgain } = await startConsole(t);
    const page = await enter('#/trends?c=pump/setpoint');
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    await kill();
    await page.locator('.curve-list td.number', { hasText: '–' }).waitFor();
    await startAgain();
    await page.waitForSelector('dialog.sign-in-panel[open]');
    await page.fill('dialog input[name=password]', 'console-test-password');
    await page.click('dialog button[type=submit]');
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    const rows = await exportRows(page);
    const gaps = rows.filter(({ gap }) => gap !== '');
    assert.ok(gaps.length > 0);
    assert.deepEqual([rows[0]?.value, rows.at(-1)?.value], ['7', '7']);
    assert.ok(rows.slice(1, -1).every(({ gap }) => gap !== ''));
  },
);

test('a peak of one reading is seen from top to bottom in a span of eight hours', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/trends?c=pump/setpoint&t=8h');
  const value = page.locator('.curve-list td.number');
  await value.getByText('7', { exact: true }).waitFor();
  await write(page, 80);
  await value.getByText('80', { exact: true }).waitFor();
  await write(page, 7);
  await value.getByText('7', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  const { rows } = await look(page, 0.998);
  assert.ok(rows.length > 0);
  assert.ok((rows.at(-1) ?? 0) - (rows[0] ?? 0) > 0.8, `drawn from ${rows[0]} to ${rows.at(-1)}`);
});
