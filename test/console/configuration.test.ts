import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, signIn, startConsole } from './support/console-page.ts';
import { addLines, findEditor, readText, replaceText, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const LINE = '#/configuration/drivers/line';

async function planAndApply(page: Page): Promise<void> {
  await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.pending-panel').waitFor();
}

async function keep(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
}

test(
  'a change shows its plan, counts down on every page, and a person keeps it beside evidence',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter(LINE);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') requests.push(`${request.method()} ${new URL(request.url()).search}`);
    });
    await addLines(page, 'responseTimeoutMs: 3000');
    await findEditor(page).press('Control+Enter');
    await page.getByText('Restarts line. No values from pump during the restart.').waitFor();
    assert.match(
      await page.innerText('.differences'),
      /drivers\/line responseTimeoutMs\s+default\s+→\s+3000/,
    );
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Apply' }).dblclick();
    await page.locator('.pending-panel').waitFor();
    assert.deepEqual(requests, ['PUT ?dryRun=true', 'PUT ?confirmWithin=120']);
    await page.getByRole('button', { name: 'Read the values of pump' }).click();
    await page.getByText('pump: 3 of 4 good').waitFor();
    await checkAccessibility(page);
    await page.locator('.rail a', { hasText: 'Overview' }).click();
    await page.locator('.strip .pending', { hasText: /Reverts in [12]:\d\d/ }).click();
    await keep(page);
    await page.getByText('Confirmed. Connection line changed.').waitFor();
    await page.locator('.strip .pending').waitFor({ state: 'detached' });
  },
);

test('a conflict shows base, theirs and yours, and a second one loses nothing either', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const [other, page] = [await enter(LINE), await enter(LINE)];
  await addLines(page, 'responseTimeoutMs: 3000');
  await addLines(other, 'responseTimeoutMs: 2000\nmaximumGap: 3');
  await planAndApply(other);
  await keep(other);
  const plan = page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true });
  const choices = page.locator('.conflict tbody');
  await plan.click();
  await choices.waitFor();
  assert.match(await choices.innerText(), /responseTimeoutMs\s+default\s+2000\s+3000/);
  await checkAccessibility(page);
  await waitForLine(other, 'maximumGap: 3');
  const text = await readText(other);
  await replaceText(other, text.replace('2000', '2500'));
  await planAndApply(other);
  await keep(other);
  await page.getByRole('button', { name: 'Continue with selection' }).click();
  await choices.waitFor({ state: 'detached' });
  assert.match(await readText(page), /responseTimeoutMs: 3000\nmaximumGap: 3\n/);
  await plan.click();
  await choices.waitFor();
  assert.match(await choices.innerText(), /responseTimeoutMs\s+2000\s+2500\s+3000/);
  await page.getByLabel('drivers/line responseTimeoutMs: Use Theirs').check();
  await page.getByRole('button', { name: 'Continue with selection' }).click();
  await choices.waitFor({ state: 'detached' });
  assert.match(await readText(page), /responseTimeoutMs: 2500\nmaximumGap: 3\n/);
});

test(
  'a draft outlives a reload unless it holds a secret, and faults are told at their path',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter(LINE);
    await addLines(page, 'bogus: 1');
    await page.reload();
    await page.getByText('Draft, not applied').waitFor();
    assert.match(await readText(page), /bogus: 1/);
    await findEditor(page).press('Control+Enter');
    const faults = page.locator('.notice.fault');
    await faults.getByText('line: bogus').waitFor();
    await faults.getByRole('button', { name: 'Go to line' }).click();
    assert.equal(await page.evaluate('document.activeElement?.shadowRoot?.activeElement?.role'), 'textbox');
    assert.equal(await page.evaluate('getSelection().toString()'), '1');
    await checkAccessibility(page);
    await addLines(page, 'password: hunter-2');
    await page.getByText('it is in memory only').waitFor();
    assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /hunter-2|bogus/);
    await addLines(page, 'broken: [');
    await page.getByText(/^Line \d+:/).waitFor();
    assert.ok(
      await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).isDisabled(),
    );
  },
);

test('a snapshot shows what it changed, and the way back goes through the same plan', CONSOLE, async (t) => {
  const { enter, open } = await startConsole(t);
  const page = await enter(LINE);
  await addLines(page, 'responseTimeoutMs: 3000');
  await planAndApply(page);
  const phone = await open({ viewport: { width: 360, height: 740 }, locale: 'de-DE' });
  await signIn(phone);
  await phone.locator('.strip .pending', { hasText: /Rücknahme in [12]:\d\d/ }).click();
  await phone.getByRole('button', { name: 'Jetzt zurücknehmen' }).click();
  await phone.getByText(/Zurückgenommen: Snapshot \d+ ist aktiv/).waitFor();
  await page.locator('.pending-panel').waitFor({ state: 'detached' });
  await page.locator('.tree').getByText('Snapshots').click();
  await page.getByRole('cell', { name: CHIEF.name }).waitFor();
  await checkAccessibility(page);
  await page.getByRole('link', { name: 'Snapshot 2: Changes of a rollback' }).click();
  assert.match(await page.innerText('.differences >> nth=0'), /responseTimeoutMs\s+default\s+→\s+3000/);
  await page.getByRole('button', { name: 'Plan rollback' }).click();
  await page.getByText('Restarts line. No values from pump during the restart.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await keep(page);
});

test('deleting a connection in use names the assets that need it', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter(LINE);
  await page.getByRole('button', { name: 'Delete drivers/line' }).click();
  const fault = page.locator('.notice li', { hasText: 'unknown driver "line"' });
  assert.match(await fault.first().innerText(), /^pump: driver: unknown driver "line"/);
});
