import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { PAGES } from '../../daemon/console/views/pages.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, startConsole, WELL_PUMP } from './support/console-page.ts';
import { addLines, findEditor, readText, replaceText } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');

/** Marks the page, so that a reload would show. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(`globalThis.isSamePage = true`);
}

async function signInAgain(page: Page): Promise<void> {
  await page.waitForSelector('dialog.sign-in-panel[open]');
  await page.fill('dialog input[name=password]', CHIEF.password);
  await page.click('dialog button[type=submit]');
  await page.waitForSelector('dialog.sign-in-panel', { state: 'detached' });
  assert.equal(await page.evaluate('globalThis.isSamePage'), true);
}

test(
  'a gateway that is killed and started again loses nothing that was typed, and its values live',
  CONSOLE,
  async (t) => {
    const { enter, kill, startAgain } = await startConsole(t, { assets: [WELL_PUMP] });
    const [page, editor] = [await enter('#/assets/pump'), await enter('#/configuration/drivers/line')];
    const row = page.locator('.grid-row:not(.head)', { hasText: 'level' });
    const quality = row.locator('.cell.quality');
    await quality.getByText('good').waitFor();
    await page
      .locator('.grid-row:not(.head)', { hasText: 'setpoint' })
      .getByRole('button', { name: 'Write' })
      .click();
    await page.locator('form.write input[name=value]').fill('42');
    await addLines(editor, 'responseTimeoutMs: 3000');
    await Promise.all([page, editor].map(mark));
    const box = await row.boundingBox();

    await kill();
    for (const each of [page, editor]) {
      await each.getByText(/No response since \d\d:\d\d:\d\d/).waitFor();
      await each.getByText(/next attempt in \d+ s/).waitFor();
    }
    await quality.getByText('late').waitFor();
    assert.equal(await row.locator('.cell.value').innerText(), '8');
    assert.deepEqual(await row.boundingBox(), box);
    await page.locator('form.write button[type=submit]:disabled').waitFor();
    await editor
      .locator('.target-editor')
      .getByRole('button', { name: 'Plan', exact: true, disabled: true })
      .waitFor();
    await replaceText(editor, (await readText(editor)).replace('3000', '3500'));
    await checkAccessibility(page);

    await startAgain();
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await Promise.all([page, editor].map(signInAgain));
    await quality.getByText('good').waitFor();
    await page.locator('.strip').getByText('Live').waitFor();
    assert.equal(await page.locator('form.write input[name=value]').inputValue(), '42');
    await page.locator('form.write button[type=submit]').click();
    await page.getByText('Would send 42 °C. Nothing is sent yet.').waitFor();
    assert.match(await readText(editor), /responseTimeoutMs: 3500/);
    await findEditor(editor).press('Control+Enter');
    await editor.getByText('Restarts line. No values from pump during the restart.').waitFor();
  },
);

test(
  'on every page a silent gateway is told with its next try, and found again without anybody asking',
  CONSOLE,
  async (t) => {
    const { base, enter, kill, startAgain } = await startConsole(t);
    const page = await enter('', { viewport: { width: 360, height: 740 } });
    await kill();
    const told = page.getByText(/No response since \d\d:\d\d:\d\d/);
    await told.waitFor();
    const since = await told.innerText();
    for (const place of [...PAGES.map(({ name }) => name), 'assets/pump', 'trends?c=pump/level']) {
      await page.goto(`${base}/#/${place}`);
      await page.getByText(/next attempt in \d+ s|reconnecting/).waitFor();
      assert.equal(await told.innerText(), since, place);
      assert.equal(await page.locator('main .notice.fault').count(), 0, place);
    }
    await startAgain();
    await page.waitForSelector('dialog.sign-in-panel[open]');
    await told.waitFor({ state: 'detached' });
  },
);
