import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';
import { findEditor, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const LATER =
  /\/assets\/(?:schema-completion|read-text|public-api|reading-worker)-[^/]+\.js$|\/configuration\/v1\/schema$/;
const LINE = '#/configuration/drivers/line';
const openShared = shareConsole();

for (const { name, keys } of [
  { name: 'what is typed', keys: [] },
  { name: 'a request by its key', keys: ['ArrowLeft', 'Control+Space'] },
]) {
  test(
    `a text is shown and edited before its suggestions are loaded; ${name} has them then`,
    CONSOLE,
    async (t) => {
      const { base, enter } = await openShared(t);
      const page = await enter();
      const held: string[] = [];
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await page.route(LATER, async (route) => {
        held.push(route.request().url());
        await isReleased;
        await route.continue();
      });
      await page.goto(`${base}/${LINE}`);
      await findEditor(page).press('Control+End');
      await page.keyboard.type('response');
      for (const key of keys) await page.keyboard.press(key);
      await waitForLine(page, 'response');
      assert.notDeepEqual(held, []);
      release();
      await page
        .locator('.cm-tooltip-autocomplete')
        .getByText('responseTimeoutMs', { exact: true })
        .waitFor();
    },
  );
}

test('a text is edited and planned without its suggestions', CONSOLE, async (t) => {
  const { base, enter } = await openShared(t);
  const page = await enter();
  await page.route(/\/assets\/schema-completion-[^/]+\.js$/, (route) => route.abort());
  await page.goto(`${base}/${LINE}`);
  await findEditor(page).press('Control+End');
  await page.keyboard.type('responseTimeoutMs: 3000');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Restarts line. No values from pump during the restart.').waitFor();
});

for (const { name, typed, isKept } of [
  { name: 'what is typed', typed: 'retries: 2', isKept: true },
  { name: 'half a key', typed: 'retri', isKept: true },
  { name: 'a secret', typed: 'password: hunter-2', isKept: false },
]) {
  test(
    `of a page left before the parser is loaded, ${name} is ${isKept ? 'kept' : 'not stored'}`,
    CONSOLE,
    async (t) => {
      const { base, enter } = await openShared(t);
      const page = await enter();
      await page.route(LATER, () => undefined);
      await page.goto(`${base}/${LINE}`);
      await findEditor(page).press('Control+End');
      await page.keyboard.type(typed);
      await page.reload();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.reload();
      await waitForLine(page, 'type: modbus');
      assert.equal(await page.locator('.cm-line').getByText(typed, { exact: true }).count(), isKept ? 1 : 0);
      assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /hunter-2/);
    },
  );
}
