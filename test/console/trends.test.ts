import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, shareConsole, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test(
  'a trend has its curves in its link, finds channels by keys, and shows every digit',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('#/trends');
    await page.getByText('No curves yet.').waitFor();
    await checkAccessibility(page);
    await page.getByRole('combobox').last().fill('pump lev');
    await page.getByRole('option', { name: 'pump/level' }).waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').last().fill('count');
    await page.getByRole('option', { name: 'pump/count' }).click();
    await page.waitForURL(/c=pump\/level,pump\/count/);
    // Without a pointer on the curves the newest values are shown.
    await page.mouse.move(0, 0);
    const value = (name: string) => page.locator('.curve-list tr', { hasText: name }).locator('td.number');
    await value('count').filter({ hasText: '56,295,858,643,796,171' }).waitFor();
    assert.equal(await value('level').innerText(), '8');
    await page.waitForSelector('.uplot canvas');
    await checkAccessibility(page);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = await readFile(await (await coming).path(), 'utf8');
    assert.match(csv, /T\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d),pump,count,56295858643796171,,\r\n/);
    const picture = page.waitForEvent('download');
    await page.getByRole('button', { name: 'PNG' }).click();
    const png = await readFile(await (await picture).path());
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
  },
);

test('curves of an asset that does not exist any more are named, and can be removed', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/trends?c=gone/level');
  await page.locator('.curve-list tr', { hasText: 'gone/level' }).getByText('asset does not exist').waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Remove gone/level' }).click();
  await page.getByText('No curves yet.').waitFor();
});

test('why a curve has no value is in its row, in both languages', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  for (const [locale, words, cause] of [
    ['en-GB', 'channel does not exist', 'ILLEGAL DATA ADDRESS'],
    ['de-DE', 'Kanal nicht vorhanden', 'Das Gerät hat diese Adresse nicht'],
  ] as const) {
    const page = await enter('#/trends?c=pump/nothing,pump/missing,pump/level', { locale });
    const row = (name: string) => page.locator('.curve-list tr', { hasText: name });
    await row('pump/nothing').locator('td', { hasText: words }).waitFor();
    await row('pump/missing').locator('td', { hasText: cause }).waitFor();
    await row('pump/level').locator('td.number', { hasText: '8' }).waitFor();
  }
});

test('a paused trend goes on collecting; keys move its cursor; Live returns', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/trends?c=pump/level', { viewport: { width: 360, height: 740 } });
  await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();
  await page.waitForSelector('.uplot canvas');
  await page.locator('.plots').focus();
  await page.keyboard.press('p');
  await page.getByText('Paused; values are still collected.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.curve-list caption', { hasText: /^at [\d:]+$/ }).waitFor();
  await page.keyboard.press('+');
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

test('a free range is shown, faults are said at its fields, and a zoom goes back', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/trends?c=pump/level');
  await page.waitForSelector('.uplot canvas');
  await page.getByRole('button', { name: 'From … to …' }).click();
  const [from, to] = [page.locator('input[name=from]'), page.locator('input[name=to]')];
  const show = page.getByRole('button', { name: 'Show', exact: true });
  await from.fill('2026-01-02T08:00:00');
  await to.fill('2026-01-02T07:00:00');
  await show.click();
  await page.getByText('The end must be after the start.').waitFor();
  assert.equal(await from.getAttribute('aria-invalid'), 'true');
  await checkAccessibility(page);
  await to.fill('2026-01-02T20:00:00');
  await show.click();
  await page.getByText('A range has 8 h at most.').waitFor();
  await to.fill('2026-01-02T10:00:00');
  await show.click();
  await page.waitForURL(/&from=\d+&to=\d+/);
  await page
    .locator('.trend-tools')
    .getByText(/2 Jan,? 08:00:00 to 2 Jan,? 10:00:00/)
    .waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page
    .locator('.trend-tools')
    .getByText(/08:30:00 to/)
    .waitFor();
  await page.locator('.plots').focus();
  await page.keyboard.press('Backspace');
  await page
    .locator('.trend-tools')
    .getByText(/08:00:00 to/)
    .waitFor();
  await page.getByRole('button', { name: 'Zoom back' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Zoom back' }).count(), 0);
});

test('the axis of time has a tick each minute, and dates where it is days long', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('#/trends');
  await page.evaluate(`(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.drawnTexts = new Set();
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      drawnTexts.add(text);
      return fillText.call(this, text, ...place);
    };
  })()`);
  const waitForTicks = async (pattern: RegExp, count: number): Promise<void> => {
    const read = (): Promise<readonly string[]> => page.evaluate('[...drawnTexts]');
    while ((await read()).filter((text) => pattern.test(text)).length < count) await page.waitForTimeout(100);
  };
  await page.goto(`${base}/#/trends?c=pump/level`);
  await waitForTicks(/^\d\d:\d\d$/, 4);
  await page.goto(`${base}/#/trends?c=pump/level&t=7d`);
  await waitForTicks(/^\d{1,2} [A-Z][a-z]+$/, 3);
});

test('when a device dies, its curve ends, and the table says why', CONSOLE, async (t) => {
  const { enter, device } = await startConsole(t);
  const page = await enter('#/trends?c=pump/level,pump/nothing&view=table', { locale: 'de-DE' });
  await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();
  await page.getByText('Kanal nicht vorhanden').waitFor();
  await device.close();
  await page.locator('.curve-list tr', { hasText: 'level' }).locator('td.number', { hasText: '–' }).waitFor();
  await page
    .locator('.wide-table td', { hasText: /Verbindung/ })
    .first()
    .waitFor();
  await checkAccessibility(page);
});

test('on a phone a plot has half of the width, and a name is next to its mark', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  const page = await open({ viewport: { width: 360, height: 740 } });
  await signIn(page);
  await page.goto(`${base}/#/trends?c=pump/level,pump/count`);
  const row = page.locator('.curve-list tbody tr', { hasText: 'pump/count' });
  await row.getByText('56,295,858,643,796,171').waitFor();
  await page.locator('.panel .u-over').nth(1).waitFor();
  const ratios = await page.evaluate<readonly number[]>(
    `[...document.querySelectorAll('.panel')].map((panel) => panel.querySelector('.u-over').clientWidth / panel.clientWidth)`,
  );
  assert.ok(ratios.length === 2 && ratios.every((ratio) => ratio > 0.5), ratios.join(', '));
  const mark = await row.locator('.swatch').boundingBox();
  const name = await row.locator('.curve-name').boundingBox();
  assert.ok(mark !== null && name !== null);
  assert.ok(mark.y > name.y && mark.y < name.y + name.height && name.height < 30);
  await checkAccessibility(page);
});
