import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';
import { addLines, findEditor, readText, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();
const LINE = '#/configuration/drivers/line';
const WORKER = /\/assets\/reading-worker-[^/]+\.js$/;
const WRONG = 'retries: }';
const IS_STORED = `Object.values(sessionStorage).some((piece) => piece.includes('retries: 2'))`;
const WHEN_STORED = `new Promise((resolve) => {
  (function look() { ${IS_STORED} ? resolve() : setTimeout(look, 20); })();
})`;

test('an error stays shown while text is typed after it', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await addLines(page, WRONG);
  const notice = page.locator('.target-editor .notice', { hasText: 'Line' });
  await notice.waitFor();
  await page.evaluate(`
    globalThis.removed = 0;
    new MutationObserver((records) => {
      for (const { removedNodes } of records) {
        removed += [...removedNodes].filter((node) => node.className?.includes('notice')).length;
      }
    }).observe(document.querySelector('.target-editor'), { childList: true, subtree: true });`);
  const parsed = page.waitForRequest(WORKER);
  await page.keyboard.type('# a remark');
  await parsed;
  await findEditor(page).press('Control+Home');
  const removed = await page.evaluate('removed');
  assert.equal(removed, 0);
  await page.getByRole('button', { name: 'Discard' }).click();
  await notice.waitFor({ state: 'detached' });
});

test('an error found in an earlier text is marked in no other line', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(WORKER, async (route) => {
    await isReleased;
    await route.continue();
  });
  await findEditor(page).waitFor();
  await page.evaluate(`
    globalThis.marked = new Set();
    const root = document.querySelector('.text-editor > div').shadowRoot;
    new MutationObserver(() => {
      for (const { textContent } of root.querySelectorAll('.wrong')) marked.add(textContent);
    }).observe(root, { childList: true, subtree: true });`);
  const asked = page.waitForRequest(WORKER);
  await addLines(page, WRONG);
  await asked;
  await findEditor(page).press('Control+Home');
  await page.keyboard.type('# ');
  release();
  await page.keyboard.type('a remark above, which moves it', { delay: 50 });
  await page.locator('.target-editor .notice', { hasText: 'Line' }).waitFor();
  const marked = await page.evaluate<readonly string[]>('[...marked]');
  assert.ok(marked.length > 0);
  assert.deepEqual(
    marked.filter((text) => !WRONG.includes(text)),
    [],
  );
});

test('a discarded draft leaves nothing of what was typed, nor does it come back', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  const before = await readText(page);
  await addLines(page, 'retries: 2');
  await page.evaluate(WHEN_STORED);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  assert.equal(await readText(page), before);
  await page.reload();
  assert.equal(await readText(page), before);
  assert.equal(await page.evaluate(IS_STORED), false);
});

test('a page that is left while a draft is being stored has all of it afterwards', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await addLines(page, `retries: 2\n${`# ${'long remark '.repeat(10)}\n`.repeat(300)}# the end`);
  await page.reload();
  await findEditor(page).press('Control+End');
  await waitForLine(page, '# the end');
  await page.getByRole('button', { name: 'Discard' }).click();
});
