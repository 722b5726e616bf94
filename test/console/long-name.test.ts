import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const LONG = 'heizungshausNordRuecklaufsammlerSued';

test('the name of an asset is not cut at 360 pixels', CONSOLE, async (t) => {
  const { enter } = await startConsole(t, { assets: [{ pid: LONG, driver: 'line', channels: [] }] });
  const page = await enter(`#/assets/${LONG}`, { viewport: { width: 360, height: 740 } });
  await page.locator('h1', { hasText: LONG }).waitFor();
  const isCut = `document.querySelector('h1').getBoundingClientRect().right > innerWidth - 8 ||
    document.querySelector('h1').scrollWidth > document.querySelector('h1').clientWidth`;
  assert.equal(await page.evaluate(isCut), false);
});
