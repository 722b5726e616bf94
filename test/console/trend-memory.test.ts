import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, signIn, signOut, signOutElsewhere, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const WATCHER = { name: 'watcher', password: 'curve-reader-password' } as const;
const IDENTITIES = [
  { ...CHIEF, permissions: ['rest.admin'] },
  { ...WATCHER, permissions: ['rest.assets.read'] },
];

const valueOf = (page: Page, text: string) => page.locator('.curve-list td.number', { hasText: text });

/** Returns the values and gaps of the trend of a page, in order of time. */
async function exportTexts(page: Page): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n').slice(1);
  return lines.map((line) => {
    const [, , , value = '', , gap = ''] = line.split(',');
    return `${value}${gap}`;
  });
}

/** Sets a value with the session of a page. */
async function write(page: Page, value: number): Promise<void> {
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ channels: [{ name: 'setpoint', type: 'INTEGER', value: ${value} }] });
    const answer = await fetch('/services/assets/pump/_write', { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
}

const listKept = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`Object.keys(sessionStorage).filter((key) => key.startsWith('penstock.trend'))`);

test('a trend that is not recorded survives a reload, with its gap', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/trends?c=pump/setpoint&t=1h');
  await valueOf(page, '7').waitFor();
  await write(page, 50);
  await valueOf(page, '50').waitFor();
  const since = await page.getByText('Not recorded: this tab has values since').innerText();
  await page.reload();
  await valueOf(page, '50').waitFor();
  assert.equal(await page.getByText('Not recorded: this tab has values since').innerText(), since);
  assert.deepEqual(await exportTexts(page), ['7', '50', 'not collected', '50']);
  assert.equal(
    await page.getByRole('button', { name: '1 h', exact: true }).getAttribute('aria-pressed'),
    'true',
  );
});

test(
  'a paused trend is the same after a reload and after other pages, and in its link',
  CONSOLE,
  async (t) => {
    const { enter, open, base } = await startConsole(t, { identities: IDENTITIES });
    const page = await enter('#/trends?c=pump/setpoint,pump/level');
    await valueOf(page, '7').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForURL(/from=\d+&to=\d+/);
    const link = page.url();
    const range = await page.locator('.trend-tools .values').innerText();
    await page.reload();
    await valueOf(page, '7').waitFor();
    await page.getByText('Paused; values are still collected.').waitFor();
    assert.equal(await page.locator('.trend-tools .values').innerText(), range);
    await page.locator('.rail a', { hasText: 'Assets' }).click();
    await page.waitForURL(/#\/assets/);
    await page.locator('.rail a', { hasText: 'Trends' }).click();
    await page.getByText('Paused; values are still collected.').waitFor();
    assert.equal(page.url(), link);
    assert.deepEqual((await exportTexts(page)).toSorted(), ['7', '8']);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));

    const other = await open();
    await signIn(other, WATCHER);
    await other.goto(link);
    await other.getByText('Paused; values are still collected.').waitFor();
    assert.equal(await other.locator('.trend-tools .values').innerText(), range);
    assert.equal(new URL(other.url()).origin, base);

    for (const name of ['setpoint', 'level'])
      await page.getByRole('button', { name: `Remove pump/${name}` }).click();
    await page.getByText('No curves yet.').waitFor();
    await page.reload();
    await page.getByText('No curves yet.').waitFor();
  },
);

for (const [end, leave] of [
  ['signed out', signOut],
  [
    'whose session ended',
    (page: Page, base: string) => signOutElsewhere(page, base).then(() => page.reload()),
  ],
] as const) {
  test(`nothing of the trend of a user ${end} is left for the next one in the tab`, CONSOLE, async (t) => {
    const { enter, base } = await startConsole(t, { identities: IDENTITIES });
    const page = await enter('#/trends?c=pump/setpoint');
    await valueOf(page, '7').waitFor();
    await page.reload();
    await valueOf(page, '7').waitFor();
    assert.equal((await listKept(page)).length, 2);
    await leave(page, base);
    await page.waitForSelector('.shell', { state: 'detached' });
    await signIn(page, WATCHER);
    await page.getByText('No curves yet.').waitFor();
    assert.deepEqual(await listKept(page), []);
    assert.equal(new URL(page.url()).hash, '#/trends');
    await page.goto(`${base}/#/trends?c=pump/setpoint`);
    await valueOf(page, '7').waitFor();
    assert.deepEqual(await exportTexts(page), ['7']);
  });
}

test('a stored trend that the page cannot read is ignored', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter();
  for (const text of ['', '{', '7', '[7, null]', '[{"key":"pump/setpoint","times":[1],"values":[]}]']) {
    await page.evaluate(
      `sessionStorage.setItem('penstock.trend-curves\\n${CHIEF.name}', ${JSON.stringify(text)})`,
    );
    await page.goto(`${new URL(page.url()).origin}/#/trends?c=pump/setpoint`);
    await page.reload();
    await valueOf(page, '7').waitFor();
    await page.goto(`${new URL(page.url()).origin}/#/overview`);
  }
});
