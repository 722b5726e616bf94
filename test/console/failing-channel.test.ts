import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { startAsyncuaServer } from '../support/asyncua-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, signIn, startConsole, WELL_PUMP } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const CONSOLE_AND_OPCUA = needs('chromium', 'libmodbus', 'asyncua');
const PASSWORD = 'console-turbine-password';
const PHONE = { viewport: { width: 360, height: 740 } } as const;
const BAD_SENSOR_FAILURE = 0x808c_0000;

const troubleOf = (page: Page, title: string) => page.locator('.attention-list li', { hasText: title });

test(
  'in German the cause of a failed channel is German, and the words of the gateway follow',
  CONSOLE,
  async (t) => {
    const { open } = await startConsole(t);
    const page = await open({ locale: 'de-DE' });
    await signIn(page);
    await page.goto(`${page.url().split('#')[0] ?? ''}#/assets/pump`);
    const row = page.getByRole('row', { name: /missing/ });
    await row.getByText('Das Gerät hat diese Adresse nicht').waitFor();
    await row.click();
    await page
      .getByText('missing: Teilnehmer 1 hat diese Adresse nicht (Ausnahme 02 ILLEGAL DATA ADDRESS')
      .waitFor();
  },
);

test('a channel that fails needs attention: why, since when, and where it is', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t);
  const page = await enter();
  await page.locator('.summary').getByText('No device has been polled yet.').waitFor();
  assert.equal(await page.locator('.attention-list').count(), 0);
  await checkAccessibility(page);
  // Another client reads it.
  const { ok } = await page.evaluate<{ readonly ok: boolean }>(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken };
    const { ok } = await fetch('/services/assets/pump/_read', { headers });
    return { ok };
  })()`);
  assert.equal(ok, true);
  const trouble = troubleOf(page, 'pump: a channel fails');
  await trouble.getByText(/^missing: unit 1 returned exception 02 ILLEGAL DATA ADDRESS\./).waitFor();
  await trouble.getByText(/since/).waitFor();
  await page.locator('.summary.attention').getByText('1 item needs attention.').waitFor();
  await page.locator('.strip a.attention-indicator').getByText('1 needs attention').waitFor();
  await page.locator('.overview-assets tbody tr').getByText('answering, 1 failing').waitFor();
  await checkAccessibility(page);
  await trouble.getByRole('link', { name: 'Show channels' }).click();
  await page.locator('.grid-row', { hasText: 'missing' }).locator('.cell.quality .state.fault').waitFor();
  assert.equal(await page.locator('.grid-row:not(.head)', { hasText: 'level' }).count(), 0);
  await page.goto(`${base}/#/overview`);
  await trouble.waitFor();
});

test('a channel that has values again needs no attention', CONSOLE_AND_OPCUA, async (t) => {
  const server = await startAsyncuaServer();
  t.after(() => server[Symbol.asyncDispose]());
  const channels = ['level', 'trend'].map((name) => ({
    name,
    type: 'READ',
    valueType: 'INTEGER',
    address: { nodeId: `nsu=urn:penstock:test;s=${name}` },
  }));
  const { enter, base } = await startConsole(t, {
    drivers: [
      { pid: 'plc', type: 'opcua', endpointUrl: `opc.tcp://127.0.0.1:${server.port}`, securityMode: 'NONE' },
    ],
    assets: [{ pid: 'tank', driver: 'plc', channels }],
  });
  await server.burst('trend', [[5, BAD_SENSOR_FAILURE, Date.now()]]);
  const page = await enter('#/assets/tank', { locale: 'de-DE' });
  await page.getByText('1 von 2 gut').waitFor();
  const indicator = page.locator('.strip a.attention-indicator.attention');
  await indicator.click();
  await troubleOf(page, 'tank: Ein Kanal liefert keinen Wert')
    .getByText(/BadSensorFailure/)
    .waitFor();
  await server.burst('trend', [[6, 0, Date.now()]]);
  await page.goto(`${base}/#/assets/tank`);
  await page.getByText('2 von 2 gut').waitFor();
  await indicator.waitFor({ state: 'detached' });
  await page.goto(`${base}/#/overview`);
  await page.locator('.summary').getByText('Alles in Ordnung.').waitFor();
});

test('who may read some channels alone is told of these', CONSOLE, async (t) => {
  const grant = (channels: readonly string[]) => ({ assets: ['pump'], channels, operations: ['READ'] });
  const { open, base } = await startConsole(t, {
    identities: [
      { name: 'fitter', grants: [grant(['level', 'missing'])], password: PASSWORD },
      { name: 'guest', grants: [grant(['level'])], password: PASSWORD },
    ],
  });
  const fitter = await open(PHONE);
  await signIn(fitter, { name: 'fitter', password: PASSWORD });
  await fitter.locator('.summary').getByText('No device has been polled yet.').waitFor();
  assert.doesNotMatch(await fitter.locator('.summary').innerText(), /needs attention|checks passed/);
  await fitter.goto(`${base}/#/assets/pump`);
  await fitter.getByText('1 of 2 good').waitFor();
  await fitter.goto(`${base}/#/overview`);
  await troubleOf(fitter, 'pump: a channel fails')
    .getByText(/^missing: .*ILLEGAL DATA ADDRESS/)
    .waitFor();
  await checkAccessibility(fitter);
  assert.deepEqual(await callInPage(fitter, 'cut-texts', 'listCutTexts'), []);

  const guest = await open(PHONE);
  await signIn(guest, { name: 'guest', password: PASSWORD });
  await guest.locator('.summary').getByText('Nothing needs attention.').waitFor();
  assert.equal(await guest.locator('.attention-list').count(), 0);
});

test('a device that goes away is told once, and not by its channels', CONSOLE, async (t) => {
  const { enter, base, device } = await startConsole(t);
  const page = await enter('#/assets/pump');
  await page.getByText('3 of 4 good').waitFor();
  await device.close();
  await page.getByText('0 of 4 good').waitFor();
  await page.goto(`${base}/#/overview`);
  await troubleOf(page, 'line: no connection').waitFor();
  await troubleOf(page, 'pump: a channel fails').waitFor({ state: 'detached' });
  await page.locator('.summary').getByText('1 item needs attention.').waitFor();
});

test('where everything is well the overview says so once a device was asked', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t, { assets: [WELL_PUMP] });
  const page = await enter('#/assets/pump');
  await page.getByText('3 of 3 good').waitFor();
  await page.goto(`${base}/#/overview`);
  await page.locator('.summary').getByText('Nothing needs attention.').waitFor();
});
