import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, signIn, startConsole } from './support/console-page.ts';
import { findEditor, readText, replaceText, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const LINE = '#/configuration/drivers/line';
const DEPUTY = { name: 'deputy', password: 'console-turbine-password', permissions: ['rest.configuration'] };
const READER = { name: 'reader', password: 'console-turbine-password', permissions: ['rest.assets.read'] };

async function apply(page: Page, timeoutMs: number): Promise<void> {
  const text = (await readText(page)).replace(/responseTimeoutMs: \d+\n?/, '').trimEnd();
  await replaceText(page, `${text}\nresponseTimeoutMs: ${timeoutMs}\n`);
  await findEditor(page).press('Control+Enter');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.pending-panel').waitFor();
}

test(
  'the countdown of a change stands on every page of both administrators, and either may end it',
  CONSOLE,
  async (t) => {
    const { base, enter, open } = await startConsole(t, {
      identities: [{ ...CHIEF, permissions: ['rest.admin'] }, DEPUTY, READER],
    });
    const chief = await enter(LINE);
    const [deputy, reader] = [await open(), await open()];
    await signIn(deputy, DEPUTY);
    await signIn(reader, READER);
    await apply(chief, 3000);
    for (const page of [chief, deputy]) {
      const places = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.rail a')].map((link) => link.getAttribute('href'))`,
      );
      assert.ok(places.length > 2);
      for (const place of places) {
        await page.goto(`${base}/${place}`);
        await page
          .locator('.strip .pending')
          .getByText(/Reverts in \d:\d\d/)
          .first()
          .waitFor();
      }
    }
    assert.equal(await reader.locator('.strip .pending').count(), 0);

    await chief.goto(`${base}/${LINE}`);
    await chief.locator('.pending-panel').waitFor();
    await deputy.locator('.strip .pending').click();
    await deputy.locator('.pending-panel').getByText('by chief').waitFor();
    await checkAccessibility(deputy);
    await deputy.getByRole('button', { name: 'Confirm' }).click();
    // Whoever made it is told how it ended as well.
    for (const page of [deputy, chief]) {
      await page.getByText('Confirmed.').waitFor();
      await page.locator('.strip .pending').waitFor({ state: 'detached' });
    }

    await apply(chief, 3500);
    await deputy.locator('.pending-panel').getByText('3500').waitFor();
    await deputy.getByRole('button', { name: 'Revert now' }).click();
    for (const page of [deputy, chief]) await page.getByText(/Reverted: snapshot \d+ is active/).waitFor();
    await waitForLine(chief, 'responseTimeoutMs: 3000');
  },
);

test(
  'who keeps a change keeps the one that is shown, and no other that waits meanwhile',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const [chief, other] = [await enter(LINE), await enter(LINE)];
    await apply(chief, 3000);
    await other.clock.install();
    await other.reload();
    await other.locator('.pending-panel').getByText('3000').waitFor();
    // It stands still from now on: it does not ask again what waits.
    // The jump to there must leave time to confirm on its page.
    await other.clock.pauseAt(Date.now() + 10_000);
    await chief.getByRole('button', { name: 'Revert now' }).click();
    await chief.getByText('Reverted: ').waitFor();
    await chief.locator('.cm-line').getByText('3000').waitFor({ state: 'detached' });
    await apply(chief, 500);
    await other.getByRole('button', { name: 'Confirm' }).click();
    await other.getByText('Another change is pending now. Check it before you confirm.').waitFor();
    await other.clock.resume();
    await other.locator('.pending-panel').getByText('500', { exact: true }).waitFor();
    await chief.reload();
    await chief.locator('.pending-panel').getByText('500', { exact: true }).waitFor();
  },
);

test('the buttons of a pending change keep their place while its content loads', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter(LINE);
  await apply(page, 3000);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  await page.route('**/snapshots/*', async (route) => {
    await promise;
    await route.continue();
  });
  await page.reload();
  const confirm = page.locator('.pending-panel').getByRole('button', { name: 'Confirm' });
  await confirm.waitFor();
  const before = await confirm.boundingBox();
  resolve(undefined);
  await page.locator('.pending-panel .change-health li').first().waitFor();
  assert.deepEqual(await confirm.boundingBox(), before);
});
