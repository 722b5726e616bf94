import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import { beginSecondFactor } from '../../daemon/interface/security/second-factor.ts';
import type { SupportReport } from '../../daemon/interface/status.ts';

import { answerOf } from '../support/answer-of.ts';
import { createAuthenticatorApp } from '../support/authenticator-app.ts';
import { SessionClient } from '../support/https-client.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, CHIEF, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('events appear by themselves, are filtered by the link, and wait while paused', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record');
  const rows = page.locator('.record-table tbody tr');
  await rows.getByText('Configuration: snapshot 1 is active').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  const other = await page.context().newPage();
  await other.goto(page.url().replace('#/record', '#/assets/pump'));
  await page.getByText('Paused. 1 new since').waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('button', { name: 'Resume' }).click();
  await rows.getByText('line is connected').waitFor();
  await page.fill('input[name=filter]', 'configuration');
  await page.locator('.record-table tbody tr:only-child').waitFor();
  assert.match(page.url(), /filter=configuration/);
  await page.fill('input[name=filter]', 'nothing of the kind');
  await page.getByRole('button', { name: 'Remove the filter' }).click();
  await rows.getByText('line is connected').waitFor();
  await checkAccessibility(page);
});

test('the audit says who did what in words, is searched, and exported as it is shown', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record/audit');
  const rows = page.locator('.audit-table tbody tr');
  // Sign-ins are hidden until they are wanted.
  await rows.getByText('Create identity chief').waitFor();
  assert.equal(await rows.getByText('Sign in').count(), 0);
  await page.check('input[name=all]');
  await rows.filter({ hasText: 'chief' }).getByText('Sign in').waitFor();
  const details = rows.filter({ hasText: 'Sign in' }).first();
  assert.equal(await details.getByText('127.0.0.1').isVisible(), false);
  await details.locator('summary').click();
  await details.getByText('by password, 127.0.0.1').waitFor();
  await checkAccessibility(page);
  await page.selectOption('select[name=event]', 'IDENTITY_CREATED');
  await page.locator('.audit-table tbody tr:only-child').waitFor();
  assert.match(await rows.first().innerText(), /the gateway[^]*Create identity chief/);
  const [head, row] = (await save(page, 'CSV')).split('\r\n');
  assert.equal(head, 'id,time,event,outcome,identity,method,address,requestId,target,detail');
  assert.match(row ?? '', /^\d+,\d{4}-[\d-]+T[\d:.]+Z,IDENTITY_CREATED,SUCCESS,/);
  await page.fill('input[name=search]', 'nothing of the kind');
  await page.getByText('No entries match the filter.').waitFor();
});

test('the details of an audit event are in German', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record/audit', { locale: 'de-DE' });
  const rows = page.locator('.audit-table tbody tr');
  const created = rows.filter({ hasText: 'Identität anlegen chief' }).first();
  await created.getByText('Berechtigungen: alles tun (rest.admin)').waitFor();
  const changed = rows.filter({ hasText: 'Konfiguration ändern' }).first();
  await changed.locator('summary').click();
  await changed.getByText(/^Dateien: /).waitFor();
  await changed.getByText(/^Zahl der Änderungen: \d+$/).waitFor();
  await changed.getByText(/ – → /).first().waitFor();
  const facts = await rows.locator('li').allTextContents();
  assert.deepEqual(
    facts.filter((fact) => /^[a-z]+[A-Za-z]*(?:\[\d+\])?: /.test(fact) && !fact.includes(' → ')),
    [],
  );
});

test('the audit has causes in words, and a login that lacks its code is no failure', CONSOLE, async (t) => {
  const operator = { name: 'operator', password: 'console-test-second-factor' };
  const identities = [
    { ...CHIEF, permissions: ['rest.admin'] },
    { ...operator, permissions: ['rest.assets'] },
  ];
  const started = await startConsole(t, { identities });
  const port = started.gateway.httpsPorts[0] ?? 0;
  const client = new SessionClient({ port });
  await client.login(operator.name, operator.password);
  const written = { channels: [{ name: 'level', type: 'INTEGER', value: 3 }] };
  await client.send('POST', '/services/assets/pump/_write', { body: written });
  const factor = '/services/session/v1/secondFactor';
  const begun = await client.send('POST', `${factor}/begin`, {
    body: { currentPassword: operator.password },
  });
  const app = createAuthenticatorApp(answerOf(beginSecondFactor, begun).secret);
  await client.send('POST', `${factor}/confirm`, { body: { secondFactorCode: app() } });
  await new SessionClient({ port }).login(operator.name, operator.password);
  await new SessionClient({ port }).login(operator.name, 'another-password');
  const chief = new SessionClient({ port });
  await chief.login(CHIEF.name, CHIEF.password);
  const grants = [{ assets: ['pump'], operations: ['READ', 'WRITE'], reason: 'permit 4711' }];
  await chief.send('POST', '/services/identity/v1/identities', {
    body: { userName: 'fitter', permissions: [], grants },
  });

  const page = await started.enter('#/record/audit');
  const rows = page.locator('.audit-table tbody tr');
  const failed = rows.filter({ hasText: 'Sign in' });
  await failed.getByText('refused or failed: user name, password or certificate is incorrect').waitFor();
  assert.equal(await failed.count(), 1);
  await failed.locator('summary').click();
  await failed.getByText('Error code LOGIN_FAILED, Status 401').waitFor();
  await rows.getByText('level 3: the channel can only be read').waitFor();
  await rows.getByText('Grants: 1; reads and writes pump (permit 4711)').waitFor({ state: 'attached' });
  await page.selectOption('select[name=outcome]', 'CODE_REQUESTED');
  const halfway = page.locator('.audit-table tbody tr:only-child');
  await halfway.getByText('code requested').waitFor();
  assert.equal(await halfway.locator('.state.attention').count(), 0);
  await page.selectOption('select[name=outcome]', 'FAILURE');
  await failed.waitFor();
  assert.equal(await failed.count(), 1);

  const german = await started.enter('#/record/audit?all=true', { locale: 'de-DE' });
  const logins = german.locator('.audit-table tbody tr', { hasText: 'operator' });
  await logins.getByText('Code angefordert').waitFor();
  await logins
    .getByText('abgelehnt oder fehlgeschlagen: Benutzername, Passwort oder Zertifikat ist falsch')
    .waitFor();
  await logins.getByText('level 3: Der Kanal lässt sich nur lesen').waitFor();
  await german
    .getByText('Freigaben: 1; liest und schreibt pump (permit 4711)')
    .waitFor({ state: 'attached' });
});

const register = (name: string, offset: number, onlyIf: object) => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
  write: { onlyIf: [onlyIf] },
});

test(
  'why a condition stopped a write, and how the chain broke, are in German; events of old in English',
  CONSOLE,
  async (t) => {
    const isLow = { channel: 'first', operator: 'LESS_THAN', value: 5 };
    const channels = [
      register('first', 7, isLow),
      register('second', 8, { channel: 'absent', value: 1 }),
      register('old', 9, isLow),
      register('absent', 60_005, isLow),
    ];
    const started = await startConsole(t, { assets: [{ pid: 'pump', driver: 'line', channels }] });
    const { gateway } = started;
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login(CHIEF.name, CHIEF.password);
    for (const { name } of channels) {
      const body = { channels: [{ name, type: 'INTEGER', value: 3 }] };
      await client.send('POST', '/services/assets/pump/_write', { body });
    }
    await gateway.stop();
    const database = new DatabaseSync(path.join(gateway.dataDirectory, 'penstock.db'));
    database.exec(
      `UPDATE audit_event SET detail = json_remove(detail, '$."reasons[0]"') WHERE detail LIKE '% old 3%'`,
    );
    database.close();
    await started.startAgain();
    const page = await started.enter('#/record/audit', { locale: 'de-DE' });
    const rows = page.locator('.audit-table tbody tr');
    const reasonOf = (name: string) =>
      rows
        .filter({ hasText: ` ${name} 3` })
        .locator('li', { hasText: 'Bedingung: ' })
        .textContent();
    await rows.getByText(/^Fehler: Ereignis \d+ oder ein früheres wurde geändert$/).waitFor();
    assert.equal(await reasonOf('first'), 'Bedingung: pump first ist 7; verlangt: LESS_THAN 5');
    assert.equal(
      await reasonOf('second'),
      'Bedingung: pump absent ist nicht lesbar: Das Gerät hat diese Adresse nicht (unit 1 returned exception 02 ILLEGAL DATA ADDRESS)',
    );
    assert.equal(await reasonOf('old'), 'Bedingung: pump first is 7; required: LESS_THAN 5');
    await page.goto(`${started.base}/#/`);
    await page.getByRole('button', { name: 'Prüfungen' }).click();
    const chain = page.locator('.checks td', { hasText: 'unterbrochen vor Ereignis' });
    assert.match(
      await chain.innerText(),
      /^unterbrochen vor Ereignis \d+: Ereignis \d+ oder ein früheres wurde geändert$/,
    );
  },
);

test('on a phone, the filter of the audit is folded and says how much of it is set', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record/audit', { viewport: { width: 360, height: 740 } });
  const event = page.locator('select[name=event]');
  await page.locator('.audit-table td').first().waitFor();
  assert.equal(await event.isVisible(), false);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await event.selectOption('IDENTITY_CREATED');
  await page.getByRole('button', { name: 'Filters: 1 set' }).click();
  assert.equal(await event.isVisible(), false);
  await page.locator('.audit-table tbody tr:only-child').getByText('Create identity chief').waitFor();
  await checkAccessibility(page);
});

test('the trace of a line shows requests and responses with bytes and meaning', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record/trace?line=line');
  await page.getByText('No bytes since the trace began.').waitFor();
  await checkAccessibility(page);
  const other = await page.context().newPage();
  await other.goto(page.url().replace(/#.*/, '#/assets/pump'));
  await other.locator('.grid-row .state.fault').waitFor();
  const sent = page.locator('.trace-table tbody tr', { hasText: 'Read Holding Registers, offset 7' });
  await sent.first().waitFor();
  assert.match(
    await sent.first().innerText(),
    /sent[^]*unit 1: Read Holding Registers, offset 7[^]*\b01 03 00 07\b/,
  );
  const received = page.locator('.trace-table tbody tr', { hasText: 'received' });
  await received.filter({ hasText: 'values' }).first().waitFor();
  await received.filter({ hasText: 'exception 2 Illegal Data Address' }).first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await checkAccessibility(page);
});

async function save(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: format }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

test(
  'a log whose responses take longer than the interval of its requests appears, and grows',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/record');
    await page.route('**/services/status/v1/log?*', async (route) => {
      await setTimeout(2500);
      await route.continue();
    });
    await page.goto(page.url().replace(/#.*/, '#/record/log'));
    const rows = page.locator('.log-table tbody tr');
    await rows.getByText('ready', { exact: true }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url().replace(/#.*/, '#/assets/pump'));
    await rows.getByText('driver.connected', { exact: true }).waitFor();
  },
);

test(
  'the log and the trace of a gateway that has started again begin again, with all they have',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/record');
    let run = 'first';
    const listAfter = (url: string): readonly number[] => {
      const after = Number(new URL(url).searchParams.get('after') ?? 0);
      return Array.from({ length: run === 'first' ? 3 : 6 }, (_, index) => index + 1).filter(
        (id) => id > after,
      );
    };
    await page.route('**/services/status/v1/log?*', async (route) => {
      const time = '2026-01-01T00:00:00.000Z';
      const lines = listAfter(route.request().url()).map((id) => ({
        id,
        time,
        level: 'info',
        event: `${run}.${id}`,
        fields: {},
      }));
      await route.fulfill({ json: { lines, newest: run === 'first' ? 3 : 6, run, isIncomplete: false } });
    });
    await page.route('**/services/drivers/v1/line/_trace?*', async (route) => {
      const frames = listAfter(route.request().url()).map((id) => ({
        id,
        time: 0,
        direction: 'SENT',
        hex: '00',
        meaning: `${run}.${id}`,
      }));
      await route.fulfill({ json: { frames, run } });
    });
    for (const place of ['log', 'trace']) {
      run = 'first';
      await page.goto(page.url().replace(/#.*/, `#/record/${place}`));
      const rows = page.locator('.record-table tbody');
      for (const id of [1, 2, 3]) await rows.getByText(`first.${id}`, { exact: true }).waitFor();
      run = 'second';
      for (const id of [1, 2, 3, 4, 5, 6]) await rows.getByText(`second.${id}`, { exact: true }).waitFor();
      assert.equal(await rows.getByText('first.').count(), 0);
    }
  },
);

test('frames that the gateway no longer has are said to be missing', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/record');
  let id = 0;
  await page.route('**/services/drivers/v1/line/_trace?*', async (route) => {
    id += id === 3 ? 100 : 1;
    const frame = { id, time: 0, direction: 'SENT', hex: '00', meaning: `frame ${id}` };
    await route.fulfill({ json: { frames: [frame], run: 'one' } });
  });
  await page.goto(page.url().replace(/#.*/, '#/record/trace'));
  const missing = page.getByText('Frames are missing');
  await page.getByText('frame 3', { exact: true }).waitFor();
  await missing.waitFor();
  await page.getByText('frame 103', { exact: true }).waitFor();
});

test(
  'the log is filtered by level and text, waits while paused, and support gets one file',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/record/log');
    const rows = page.locator('.log-table tbody tr');
    await rows.getByText('ready', { exact: true }).waitFor();
    await checkAccessibility(page);
    await page.fill('input[name=filter]', 'version=');
    await rows.getByText('ready', { exact: true }).waitFor();
    assert.match(page.url(), /filter=version/);
    await page.selectOption('select[name=level]', 'error');
    await page.getByText('No entries match the filter.').waitFor();
    await page.selectOption('select[name=level]', 'debug');
    await page.fill('input[name=filter]', '');
    await page.getByRole('button', { name: 'Pause' }).click();
    const shown = await rows.count();
    // The gateway logs that the device of the asset is connected.
    const other = await page.context().newPage();
    await other.goto(page.url().replace(/#.*/, '#/assets/pump'));
    await page.getByText(/\d+ new\./).waitFor();
    assert.equal(await rows.count(), shown);
    await page.getByRole('button', { name: 'Resume' }).click();
    await rows.nth(shown).waitFor();

    const report = JSON.parse(await save(page, 'Collect for support')) as SupportReport;
    await page.getByText(/^Saved as penstock-support-127\.0\.0\.1-[\dT-]+\.json\./).waitFor();
    assert.ok(JSON.stringify(report.responses).includes('"pid":"line"'));
  },
);
