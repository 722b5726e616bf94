import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pinch } from '../../daemon/console/trend/pinch.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const TELEPHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

interface Point {
  readonly x: number;
  readonly y: number;
  readonly id?: number;
}

test('pinch keeps each finger on the time that it was put on', () => {
  assert.deepEqual(pinch([1000, 2000], [100, 200], 300), { fromMs: 0, untilMs: 3000 });
  assert.deepEqual(pinch([1000, 2000], [50, 250], 300), { fromMs: 750, untilMs: 2250 });
  assert.deepEqual(pinch([2000, 1000], [250, 50], 300), { fromMs: 750, untilMs: 2250 });
});

test('pinch shows a part that has an end, however close the fingers are', () => {
  const { fromMs, untilMs } = pinch([1000, 2000], [100, 100], 320);
  assert.ok(Number.isFinite(fromMs) && untilMs - fromMs === 20_000);
});

test('two fingers zoom a trend and hold it; one finger scrolls the page', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/trends?c=pump/level', TELEPHONE);
  await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();
  const plot = page.locator('.u-over');
  await plot.waitFor();
  const debug = await page.context().newCDPSession(page);
  const box = await plot.boundingBox();
  assert.ok(box !== null);
  const [middle, y] = [box.x + box.width / 2, box.y + 60];

  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: readonly Point[]) =>
    debug.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
  await touch('touchStart', [{ x: middle, y: y + 120 }]);
  for (const way of [20, 40, 60, 80, 100, 120]) await touch('touchMove', [{ x: middle, y: y + 120 - way }]);
  await touch('touchEnd', []);
  await page.waitForFunction('document.querySelector("main").scrollTop + scrollY > 50');
  assert.equal(await page.getByRole('button', { name: 'Live', exact: true }).count(), 0);

  await page.evaluate('document.querySelector("main").scrollTo(0, 0); scrollTo(0, 0)');
  const toFingers = (distance: number): readonly Point[] => [
    { x: middle - distance / 2, y, id: 1 },
    { x: middle + distance / 2, y, id: 2 },
  ];
  await touch('touchStart', toFingers(40));
  for (const distance of [60, 80, 100, 120]) await touch('touchMove', toFingers(distance));
  await touch('touchEnd', []);
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  const words = await page.locator('.trend-tools .values').innerText();
  const [from = Number.NaN, until = Number.NaN] = [...words.matchAll(/(\d\d):(\d\d):(\d\d)/g)].map(
    ([, hour, minute, second]) => (Number(hour) * 60 + Number(minute)) * 60 + Number(second),
  );
  // A third of five minutes, but for the rounding of both times.
  assert.ok(Math.abs(((until - from + 86_400) % 86_400) - 100) <= 2, words);
  assert.equal(await page.evaluate('visualViewport.scale'), 1);
});
