import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { AxisWidths, fitCause, shorten, spreadLabels } from '../../daemon/console/trend/labels.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('labels stand beside the ends of their curves, in their order, and none covers another', () => {
  const place = (ends: readonly number[]) =>
    spreadLabels(
      ends.map((endY, index) => ({ text: String(index), endY, index })),
      { height: 10, top: 0, bottom: 100 },
    ).map(({ index, y }) => [index, y]);
  assert.deepEqual(place([50, 20]), [
    [1, 20],
    [0, 50],
  ]);
  assert.deepEqual(place([50, 51, 52]), [
    [0, 50],
    [1, 60],
    [2, 70],
  ]);
  assert.deepEqual(place([0, 99, 98, 60]), [
    [0, 5],
    [3, 60],
    [2, 85],
    [1, 95],
  ]);
});

test('shorten keeps both ends of a name that has too little room', () => {
  const measure = (text: string): number => text.length;
  assert.equal(shorten('flowTemperature', 15, measure), 'flowTemperature');
  assert.equal(shorten('flowTemperature', 9, measure), 'flow…ture');
  assert.equal(shorten('flowTemperature', 0, measure), '…');
});

test('a gap names its cause before its curves, as far as there is room', () => {
  const gap = { cause: 'not recorded', labels: ['flow', 'level'] };
  const fit = (room: number): string => fitCause(gap, (text) => text.length <= room);
  assert.equal(fit(40), 'flow, level: not recorded');
  assert.equal(fit(20), 'not recorded');
  assert.equal(fit(8), 'not rec…');
  assert.equal(fit(4), '');
});

test('axes of values are as wide as the widest number of a panel needs, and become no narrower', () => {
  const widths = new AxisWidths((text) => text.length * 7, 1000);
  assert.equal(widths.fit('LEFT', ['1', '2']), widths.fit('LEFT', []));
  const narrow = widths.widthOf('RIGHT');
  assert.ok(widths.fit('RIGHT', ['1', '-412,657,877.5']) >= 14 * 7);
  assert.ok(widths.widthOf('RIGHT') > narrow);
  assert.equal(widths.fit('RIGHT', ['1']), widths.widthOf('RIGHT'));
  assert.equal(widths.widthOf('LEFT'), narrow);
  const phone = new AxisWidths((text) => text.length * 7, 336);
  assert.ok(phone.fit('LEFT', ['60.0']) < narrow);
});

/** Counts the pixels of the colours of texts and of the curves right of where curves are drawn. */
function countInk(
  page: Page,
): Promise<{ readonly width: number; readonly text: number; readonly curve: number }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('.uplot canvas');
    const over = document.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const left = Math.ceil((over.right - box.left + 2) * devicePixelRatio);
    const height = Math.round((over.bottom - box.top) * devicePixelRatio);
    const { data } = canvas.getContext('2d').getImageData(left, 0, canvas.width - left, height);
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
    const count = ([r, g, b]) => {
      let pixels = 0;
      for (let index = 0; index < data.length; index += 4) {
        const distance = Math.abs(data[index] - r) + Math.abs(data[index + 1] - g) + Math.abs(data[index + 2] - b);
        if (data[index + 3] > 100 && distance < 24) pixels += 1;
      }
      return pixels;
    };
    return { width: box.right - over.right, text: count(read('--text')), curve: count(read('--curve-1')) };
  })()`);
}

test(
  'curves are named beside their ends, where no curve is drawn, also on a telephone',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    for (const [width, widest] of [
      [1280, 120],
      [360, 90],
    ] as const) {
      const page = await enter('#/trends?c=pump/level,pump/setpoint', { viewport: { width, height: 740 } });
      await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();
      await page.locator('.uplot canvas').first().waitFor();
      await page.waitForFunction('document.querySelector(".trend-state").textContent !== ""');
      const ink = await countInk(page);
      assert.ok(ink.width > 40 && ink.width <= 76 + widest, JSON.stringify(ink));
      assert.ok(ink.text > 20, JSON.stringify(ink));
      assert.ok(ink.curve > 10, JSON.stringify(ink));
    }
  },
);

// Registers hold their offset: 6297 × 65536 + 6298 is some 412 million.
const METERED = [
  { name: 'level', unit: 'mm', offset: 8, dataType: 'UINT16' },
  { name: 'energy', unit: 'Wh', offset: 6297, dataType: 'UINT32' },
  { name: 'power', unit: 'W', offset: 9, dataType: 'UINT16' },
].map(({ name, unit, ...place }) => ({
  name,
  unit,
  type: 'READ',
  valueType: 'DOUBLE',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', ...place },
}));

/** Returns, for each plot, whether something is drawn in the outermost pixels of its sides, and where its curves begin and end. */
function lookAtSides(page: Page): Promise<readonly { isCut: boolean; left: number; right: number }[]> {
  return page.evaluate(`[...document.querySelectorAll('.uplot')].map((plot) => {
    const canvas = plot.querySelector('canvas');
    const over = plot.querySelector('.u-over').getBoundingClientRect();
    const { height, width } = canvas;
    const isDrawn = (x) => canvas.getContext('2d').getImageData(x, 0, 2, height).data.some((part) => part > 0);
    return { isCut: isDrawn(0) || isDrawn(width - 2), left: over.left, right: over.right };
  })`);
}

test('no number of an axis is cut, and the panels keep one axis of time', CONSOLE, async (t) => {
  const { enter } = await startConsole(t, { assets: [{ pid: 'meter', driver: 'line', channels: METERED }] });
  const page = await enter('#/trends?c=meter/level,meter/energy,meter/power');
  await page.locator('.curve-list td.number', { hasText: /^412,/ }).waitFor();
  await page.locator('.uplot canvas').nth(1).waitFor();
  await page.waitForFunction('document.querySelector(".trend-state").textContent !== ""');
  const [first, second] = await lookAtSides(page);
  assert.deepEqual([first?.isCut, second?.isCut], [false, false]);
  assert.deepEqual([first?.left, first?.right], [second?.left, second?.right]);
});

/** Returns the texts above a plot, and whether something is drawn left and right of where its curves are. */
function lookAtAxes(page: Page): Promise<{ units: string; isLeft: boolean; isRight: boolean }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('.uplot canvas');
    const box = canvas.getBoundingClientRect();
    const over = document.querySelector('.u-over').getBoundingClientRect();
    const height = Math.floor((over.bottom - box.top) * devicePixelRatio) - 2;
    const isDrawn = (from, until) => {
      const x = Math.round((from - box.left) * devicePixelRatio);
      const width = Math.round((until - from) * devicePixelRatio);
      return canvas.getContext('2d').getImageData(x, 0, width, height).data.some((part) => part > 0);
    };
    return {
      units: document.querySelector('.units').innerText.trim(),
      isLeft: isDrawn(box.left, over.left - 2),
      isRight: isDrawn(over.right + 100, box.right),
    };
  })()`);
}

test('a unit whose curves have no values has no axis', CONSOLE, async (t) => {
  const absent = { name: 'absent', unit: 'bar', type: 'READ', valueType: 'DOUBLE' };
  const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 60_005, dataType: 'UINT16' };
  const channels = [...METERED, { ...absent, address }];
  const { enter } = await startConsole(t, { assets: [{ pid: 'meter', driver: 'line', channels }] });
  for (const [curves, expected] of [
    ['meter/level', { units: 'mm', isLeft: true, isRight: false }],
    ['meter/absent,meter/level', { units: 'mm', isLeft: false, isRight: true }],
    ['meter/absent', { units: '', isLeft: false, isRight: false }],
  ] as const) {
    const page = await enter(`#/trends?c=${curves}`);
    await page.locator('.uplot canvas').first().waitFor();
    if (curves.includes('level')) await page.locator('.units', { hasText: 'mm' }).waitFor();
    await page.waitForFunction('document.querySelector(".trend-state").textContent !== ""');
    assert.deepEqual(await lookAtAxes(page), expected, curves);
  }
});
