import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';
import { addLines, readText, waitForLine } from './support/edited-text.ts';

const LINE = '#/configuration/drivers/line';

/** Changes a key of the line for good, as another client does. */
async function changeElsewhere(page: Page, key: string, value: number): Promise<void> {
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const path = '/services/configuration/v1/drivers/line';
    const line = await (await fetch(path, { headers: { 'X-XSRF-Token': xsrfToken } })).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'If-Match': '*', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ ...line, ${key}: ${value} });
    const answer = await fetch(path, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
}

test(
  'a draft that is overtaken between its plan and Apply loses nothing, nor when that happens again',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter } = await startConsole(t);
    const [page, other] = [await enter(LINE), await enter()];
    const typed = '# why: the meter is slow\nresponseTimeoutMs: 3000\nmaximumGap: 3\n';
    await addLines(page, typed.trimEnd());
    const planAndApply = async () => {
      await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
      await page.getByRole('button', { name: 'Apply' }).waitFor();
    };
    await planAndApply();
    await changeElsewhere(other, 'responseTimeoutMs', 2000);
    await page.getByRole('button', { name: 'Apply' }).click();
    const choices = page.locator('.conflict tbody');
    await choices.waitFor();
    assert.match(await choices.innerText(), /responseTimeoutMs\s+default\s+2000\s+3000/);
    assert.ok((await readText(page)).trimEnd().endsWith(typed.trimEnd()));
    await page.getByRole('button', { name: 'Continue with selection' }).click();
    await planAndApply();
    await changeElsewhere(other, 'retries', 2);
    await page.getByRole('button', { name: 'Apply' }).click();
    await choices.waitFor();
    assert.match(await readText(page), /responseTimeoutMs: 3000\nmaximumGap: 3\n/);
    await page.reload();
    await page.getByText('Draft, not applied').waitFor();
    assert.match(await readText(page), /responseTimeoutMs: 3000\nmaximumGap: 3\n/);
    await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
    await choices.waitFor();
    await page.getByRole('button', { name: 'Continue with selection' }).click();
    await planAndApply();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.pending-panel').waitFor();
    await waitForLine(page, 'retries: 2');
  },
);
