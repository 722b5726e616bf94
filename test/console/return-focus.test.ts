import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

interface Opened {
  readonly opener: string;
  /** What is there while it is open. */
  readonly part: string;
  /** Button that closes it; absent: none. */
  readonly close?: string;
}

/** Opens a part by key, closes it by Escape and by its button, and asserts that the focus is on the opener again. */
async function openAndClose(page: Page, { opener, part, close }: Opened): Promise<void> {
  const button = page.getByRole('button', { name: opener, exact: true });
  const end = async (how: () => Promise<void>): Promise<void> => {
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator(part).waitFor();
    // Wherever the focus is, it is in the part.
    await page.locator(`${part}:focus-within, ${part}:focus`).first().waitFor();
    await how();
    await page.locator(part).waitFor({ state: 'detached' });
    const name = await page.evaluate(`(document.activeElement.getAttribute('aria-label')
      ?? document.activeElement.textContent).trim()`);
    assert.equal(name, opener);
  };
  await end(() => page.keyboard.press('Escape'));
  if (close !== undefined) await end(() => page.locator(part).getByRole('button', { name: close }).click());
}

test('a part of a page that is closed returns the focus to what opened it', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('#/devices/channels/pump');
  await openAndClose(page, { opener: 'Details of level', part: '.channel-form', close: 'Close' });
  await openAndClose(page, { opener: 'Paste a table', part: '.paste-panel', close: 'Cancel' });
  await page.goto(`${base}/#/access/identities/chief`);
  await openAndClose(page, { opener: 'Delete chief …', part: '.notice:has(.remove)', close: 'Cancel' });
  await page.goto(`${base}/#/trends?c=pump/level`);
  await openAndClose(page, { opener: 'From … to …', part: '.free-range' });
  await openAndClose(page, { opener: 'Record these', part: '.record-form', close: 'Close' });
});

test('Escape in a cell ends unfinished typing alone', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/devices/channels/pump');
  await page.getByRole('button', { name: 'Details of level' }).click();
  for (const place of ['.channel-grid [data-row="1"]', '.channel-form']) {
    const name = page.locator(`${place} [data-key="name"]`);
    await name.fill('typed');
    await name.press('Escape');
    assert.equal(await name.inputValue(), 'level');
    assert.equal(await page.locator('.channel-form').count(), 1);
  }
  await page.locator('.channel-form [data-key="name"]').press('Escape');
  await page.locator('.channel-form').waitFor({ state: 'detached' });
});
