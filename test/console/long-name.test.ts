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

test('a long name in the tree of the configuration breaks between its words', CONSOLE, async (t) => {
  const pids = [LONG, 'heizungshaus_nord_ruecklaufsammler_sued', 'heizungshaus.nord.ruecklaufsammler'];
  const { enter } = await startConsole(t, {
    assets: pids.map((pid) => ({ pid, driver: 'line', channels: [] })),
  });
  const page = await enter('#/configuration', { viewport: { width: 1440, height: 900 } });
  await page.locator('.tree a', { hasText: LONG }).waitFor();
  const lines = await page.evaluate<readonly (readonly string[])[]>(`
    [...document.querySelectorAll('.tree ul ul a.code')].map((link) => {
      const lines = new Map();
      const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const [index, character] of [...texts.currentNode.data].entries()) {
          const range = new Range();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + 1);
          const { top } = range.getBoundingClientRect();
          lines.set(top, (lines.get(top) ?? '') + character);
        }
      }
      return [...lines.values()];
    })`);
  const broken = lines.filter((parts) => pids.includes(parts.join('')));
  assert.equal(broken.length, pids.length);
  for (const parts of broken) {
    assert.ok(parts.length > 1, parts.join(' | '));
    for (const part of parts.slice(0, -1)) {
      const next = parts[parts.indexOf(part) + 1] ?? '';
      assert.ok(/[_.]$/.test(part) || /^[A-Z]/.test(next), parts.join(' | '));
    }
  }
});
