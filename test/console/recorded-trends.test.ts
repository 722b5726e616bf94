import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import type { HistoryPage } from '../../daemon/interface/plant/history.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, CHIEF, signIn, signOutElsewhere, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const WATCHER = { name: 'watcher', password: 'curve-reader-password' } as const;
const IDENTITIES = [
  { ...CHIEF, permissions: ['rest.admin'] },
  { ...WATCHER, permissions: ['rest.assets.read'] },
];
const RECORDED = {
  identities: IDENTITIES,
  recorders: [{ pid: 'often', intervalMs: 500, assets: [{ asset: 'pump', channels: ['setpoint'] }] }],
};

interface ExportedRow {
  readonly ms: number;
  readonly channel: string;
  readonly value: string;
  readonly gap: string;
}

async function exportRows(page: Page): Promise<readonly ExportedRow[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n').slice(1);
  return lines.map((line) => {
    const [time = '', , channel = '', value = '', , gap = ''] = line.split(',');
    return { ms: Date.parse(time), channel, value, gap };
  });
}

/** Exports a trend until its rows are as expected. */
async function exportUntil(
  page: Page,
  isDone: (rows: readonly ExportedRow[]) => boolean | Promise<boolean>,
): Promise<readonly ExportedRow[]> {
  let rows = await exportRows(page);
  while (!(await isDone(rows))) {
    await page.waitForTimeout(500);
    rows = await exportRows(page);
  }
  return rows;
}

/** Sends a request with the session of a page. */
function ask<T>(page: Page, path: string, body?: object): Promise<T> {
  const method = Array.isArray(body) ? 'PUT' : 'POST';
  const options = body === undefined ? {} : { method, body: JSON.stringify(body) };
  return page.evaluate<T>(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'Content-Type': 'application/json', 'If-Match': '*' };
    const answer = await fetch(${JSON.stringify(path)}, { ...${JSON.stringify(options)}, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  })()`);
}

function write(page: Page, value: number): Promise<unknown> {
  const channels = [{ name: 'setpoint', type: 'INTEGER', value }];
  return ask(page, '/services/assets/pump/_write', { channels });
}

async function readSamples(page: Page): Promise<NonNullable<HistoryPage['samples']>> {
  const { samples = [] } = await ask<HistoryPage>(page, '/services/history/v1/pump?channels=setpoint');
  return samples;
}

async function waitForSample(page: Page, value: number): Promise<void> {
  while (!(await readSamples(page)).some((sample) => sample.value === value)) await page.waitForTimeout(200);
}

test('a trend begins where the recording does, and has each sample once', CONSOLE, async (t) => {
  const { enter } = await startConsole(t, RECORDED);
  const page = await enter();
  await waitForSample(page, 7);
  await write(page, 50);
  await waitForSample(page, 50);
  await write(page, 20);
  await waitForSample(page, 20);
  await page.goto(`${new URL(page.url()).origin}/#/trends?c=pump/setpoint,pump/level`);
  await page.getByText('Recorded: pump/setpoint.').waitFor();
  await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();

  const rows = await exportUntil(page, async (exported) => {
    const own = exported.filter(({ channel, gap }) => channel === 'setpoint' && gap === '');
    const last = own.at(-1)?.ms ?? 0;
    const before = (await readSamples(page)).filter(({ timestamp }) => timestamp < last);
    return before.length > 3 && before.every(({ timestamp }) => own.some(({ ms }) => ms === timestamp));
  });

  const own = rows.filter(({ channel }) => channel === 'setpoint');
  assert.deepEqual(
    own.map(({ ms }) => ms),
    [...new Set(own.map(({ ms }) => ms))].toSorted((a, b) => a - b),
  );
  assert.deepEqual(
    own.map(({ value }) => value).filter((value, index, all) => value !== all[index - 1]),
    ['7', '50', '20'],
  );
  const level = rows.filter(({ channel }) => channel === 'level');
  assert.equal(level.length, 1);
  await page.getByRole('button', { name: '7 days' }).click();
  await page.getByText(/The curves begin at/).waitFor();
  await checkAccessibility(page);
});

test(
  'while the gateway was away, the trend has what was recorded, and the reason for the rest',
  CONSOLE,
  async (t) => {
    const { enter, kill, startAgain } = await startConsole(t, RECORDED);
    const page = await enter('#/trends?c=pump/setpoint&t=1h', { locale: 'de-DE' });
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    await waitForSample(page, 7);
    await kill();
    await page.locator('.curve-list td.number', { hasText: '–' }).waitFor();
    await startAgain();
    await page.waitForSelector('dialog.sign-in-panel[open]');
    await page.fill('dialog input[name=password]', CHIEF.password);
    await page.click('dialog button[type=submit]');
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    const rows = await exportUntil(page, (exported) => {
      const gaps = exported.filter(({ gap }) => gap !== '');
      return gaps.length > 0 && gaps.every(({ gap }) => gap === 'Gateway nicht in Betrieb');
    });
    const values = rows.filter(({ gap }) => gap === '');
    assert.ok(values.every(({ value }) => value === '7'));
    const stopped = rows.findLast(({ gap }) => gap !== '')?.ms ?? Infinity;
    assert.ok(values.some(({ ms }) => ms > stopped));
    await page.getByText('Alle Kurven werden aufgezeichnet.').waitFor();
  },
);

test('curves are recorded from a trend on, by those who may change the configuration', CONSOLE, async (t) => {
  const { enter, open } = await startConsole(t, { identities: IDENTITIES });
  const page = await enter('#/trends?c=pump/setpoint,pump/level');
  await page.getByText('Not recorded: this tab has values since').waitFor();
  await page.getByRole('button', { name: 'Record these' }).click();
  await page.locator('.record-form input[name=pid]').waitFor();
  await checkAccessibility(page);
  await page.getByRole('checkbox', { name: 'pump/level' }).uncheck();
  await page.locator('.record-form input[name=interval]').fill('0.5');
  await page.locator('.record-form').getByRole('button', { name: 'Plan' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
  await page.getByText('Recorded: pump/setpoint.').waitFor();
  await page.getByText('pump records pump/setpoint.').waitFor();
  await waitForSample(page, 7);
  assert.deepEqual(await ask(page, '/services/configuration/v1/recorders'), [
    { pid: 'pump', intervalMs: 500, assets: [{ asset: 'pump', channels: ['setpoint'] }] },
  ]);

  const other = await open();
  await signIn(other, WATCHER);
  await other.goto(`${new URL(other.url()).origin}/#/trends?c=pump/setpoint,pump/level`);
  await other.getByText('Recorded: pump/setpoint.').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Record these' }).count(), 0);
});

test(
  'after a lost session the trend has what was recorded in the meantime, or nothing had changed',
  CONSOLE,
  async (t) => {
    const [often] = RECORDED.recorders;
    const changes = { pid: 'changes', onChange: true, assets: [{ asset: 'pump', channels: ['level'] }] };
    const { enter, base } = await startConsole(t, { ...RECORDED, recorders: [often, changes] });
    const page = await enter('#/trends?c=pump/setpoint,pump/level');
    const other = await enter();
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    await page.locator('.curve-list td.number', { hasText: '8' }).waitFor();
    await waitForSample(page, 7);
    await signOutElsewhere(page, base);
    await page.waitForSelector('dialog.sign-in-panel[open]');
    for (const value of [50, 20]) {
      await write(other, value);
      await waitForSample(other, value);
    }
    await page.fill('dialog input[name=password]', CHIEF.password);
    await page.click('dialog button[type=submit]');
    await page.locator('.curve-list td.number', { hasText: '20' }).waitFor();
    const rows = await exportUntil(page, (exported) => exported.every(({ gap }) => gap === ''));
    const changesOf = (name: string): readonly string[] =>
      rows
        .filter(({ channel }) => channel === name)
        .map(({ value }) => value)
        .filter((value, index, all) => value !== all[index - 1]);
    assert.deepEqual(changesOf('setpoint'), ['7', '50', '20']);
    assert.deepEqual(changesOf('level'), ['8']);
  },
);

test(
  'what is not recorded any more is said, and is a gap, for those who may only read',
  CONSOLE,
  async (t) => {
    const { enter, open } = await startConsole(t, RECORDED);
    const chief = await enter();
    await waitForSample(chief, 7);
    await ask(chief, '/services/configuration/v1/recorders', []);
    const page = await open();
    await signIn(page, WATCHER);
    await page.goto(`${new URL(page.url()).origin}/#/trends?c=pump/setpoint`);
    await page.getByText('No longer recorded: pump/setpoint.').waitFor();
    await page.locator('.curve-list td.number', { hasText: '7' }).waitFor();
    // The value of this moment follows the gap.
    const rows = await exportUntil(page, (exported) => {
      const place = exported.findIndex(({ gap }) => gap === 'not recorded');
      return place !== -1 && place < exported.length - 1;
    });
    const gap = rows.findIndex((row) => row.gap === 'not recorded');
    assert.ok(gap > 0, JSON.stringify(rows));
    assert.ok(
      rows.every(({ value }, index) => index === gap || value === '7'),
      JSON.stringify(rows),
    );
  },
);
