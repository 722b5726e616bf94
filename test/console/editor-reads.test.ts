import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';
import { stringify } from 'yaml';

import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';
import { findEditor } from './support/edited-text.ts';

const openShared = shareConsole();
// The first ones come while the pasted text is read once.
const FIRST_KEYS = ['End', 'x', 'End'];
const KEYS = ['Enter', 'd', 'e', ':', 'Space', '"', 'x', 'Backspace', '#'];

/** Writes an asset as text. */
function writeAsset(channels: number): string {
  return stringify({
    pid: 'pump',
    driver: 'line',
    channels: Array.from({ length: channels }, (_, offset) => ({
      name: `channel${offset}`,
      type: 'READ',
      valueType: 'INTEGER',
      address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
    })),
  });
}

/**
 * Counts the characters that a text returns after a key: at once, for suggestions and for the description of the key.
 * Reading the whole text, in steps, begins later.
 */
const COUNT = `(() => {
  const { doc } = document.querySelector('.text-editor > div').shadowRoot.querySelector('.cm-content').cmTile.view.state;
  const findLeaf = (part) => (part.children === null ? part : findLeaf(part.children[0]));
  const [leaf, branch] = [findLeaf(doc), doc].map(Object.getPrototypeOf);
  globalThis.readCharacters = 0;
  const wrap = (type, name, count) => {
    const own = type[name];
    type[name] = function (...values) {
      const result = own.apply(this, values);
      readCharacters += count(result);
      return result;
    };
  };
  for (const type of new Set([leaf, branch])) {
    for (const name of ['sliceString', 'toString']) if (Object.hasOwn(type, name)) wrap(type, name, (text) => text.length);
    for (const name of ['iter', 'iterRange', 'iterLines']) {
      const own = type[name];
      type[name] = function (...values) {
        const lines = own.apply(this, values);
        const next = lines.next.bind(lines);
        lines.next = (...skipped) => {
          next(...skipped);
          readCharacters += lines.value.length;
          return lines;
        };
        return lines;
      };
    }
    wrap(type, 'lineInner', ({ text }) => text.length);
  }
  globalThis.readByKey = [];
  addEventListener('keydown', () => {
    readCharacters = 0;
    setTimeout(() => readByKey.push(readCharacters), 350);
  }, true);
})()`;

/** Types keys in the middle of a text of that many channels. Returns the characters of the text that each key has read. */
async function countReads(page: Page, channels: number): Promise<readonly number[]> {
  await findEditor(page).waitFor();
  const text = writeAsset(channels);
  const anchor = text.indexOf('\n', text.indexOf(`channel${channels / 2}\n`));
  // As pasted: typing so much would take minutes.
  await page.evaluate(
    `{ const { view } = document.querySelector('.text-editor > div').shadowRoot.querySelector('.cm-content').cmTile;
    const changes = { from: 0, to: view.state.doc.length, insert: ${JSON.stringify(text)} };
    view.dispatch({ changes, selection: { anchor: ${anchor} }, scrollIntoView: true });
    view.focus(); }`,
  );
  await page
    .locator('.cm-line', { hasText: `name: channel${channels / 2}` })
    .locator('.key')
    .first()
    .waitFor();
  await page.evaluate(COUNT);
  for (const [index, key] of [...FIRST_KEYS, ...KEYS].entries()) {
    await page.keyboard.press(key);
    await page.evaluate(`new Promise((resolve) => {
      (function look() { readByKey.length > ${index} ? resolve() : setTimeout(look, 20); })();
    })`);
  }
  const counts = await page.evaluate<readonly number[]>('readByKey');
  return counts.slice(FIRST_KEYS.length);
}

test('a key reads no more of a large text than of a small one', needs('chromium', 'libmodbus'), async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/configuration/assets/pump');
  const small = await countReads(page, 100);
  await page.reload();
  const large = await countReads(page, 5000);
  assert.ok(Math.min(...small) > 0, String(small));
  for (const [index, count] of large.entries()) {
    assert.ok(
      count < 30_000 && count < (small[index] ?? 0) * 1.5 + 2000,
      `${String(small)}; ${String(large)}`,
    );
  }
});
