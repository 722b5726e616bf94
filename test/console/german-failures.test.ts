import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const GERMAN = { locale: 'de-DE' } as const;
// Nothing listens on the port of tcpmux.
const REFUSED =
  'Keine Verbindung zu 127.0.0.1:1: Verbindung abgelehnt; prüfen Sie den Port und den Dienst dort (ECONNREFUSED)';

test('why a connection cannot be opened is in German on every page', CONSOLE, async (t) => {
  const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' };
  const { enter, base } = await startConsole(t, {
    drivers: [{ pid: 'dead', type: 'modbus', host: '127.0.0.1', port: 1 }],
    assets: [
      {
        pid: 'pump',
        driver: 'dead',
        channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address }],
      },
    ],
  });
  const page = await enter('#/devices/line/dead', GERMAN);
  await page.getByRole('button', { name: 'Testen dead' }).click();
  await page.locator('.tools', { hasText: REFUSED }).waitFor();
  for (const place of ['#/devices', '#/record']) {
    await page.goto(`${base}/${place}`);
    await page.locator('main').getByText(REFUSED).first().waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /\bconnection\b|\bcheck\b/i, place);
  }
});

test('requests and frames of a connection are in German', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t);
  const page = await enter('#/devices/line/line', GERMAN);
  await page.getByText('Teilnehmer 1 HOLDING_REGISTERS 7-8', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Testen line' }).click();
  await page.locator('.tools', { hasText: 'Kanal setpoint des Assets pump' }).waitFor();
  await page.goto(`${base}/#/record/trace?line=line`);
  await page.getByText('Keine Bytes seit Beginn des Mitschnitts.').waitFor();
  // The page of an asset reads it.
  const reader = await page.context().newPage();
  await reader.goto(`${base}/#/assets/pump`);
  const frames = page.locator('.trace-table');
  await frames
    .getByText(/^Transaktion \d+, Teilnehmer 1: Read Holding Registers, Adresse 7, Anzahl 2$/)
    .waitFor();
  await frames
    .getByText(/^Transaktion \d+, Teilnehmer 1: Read Holding Registers, Ausnahme 2 Illegal Data Address$/)
    .waitFor();
});
