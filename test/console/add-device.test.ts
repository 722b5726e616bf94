import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Page } from 'playwright-core';

import { startAsyncuaServer } from '../support/asyncua-server.ts';
import { startPymodbusServer } from '../support/pymodbus-server.ts';
import { startInstrument } from '../support/serial-instrument.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';
import { countSteps } from './support/counted-page.ts';
import type { CountedSteps } from './support/counted-page.ts';

const EMPTY = { drivers: [], assets: [] };
const MOST_CLICKS = 12;
// Pictures of each step, for a look by eye.
const FOLDER = process.env['ADD_DEVICE_PICTURES'];

async function take(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
}

/** Plans, applies and confirms what is on the page, and opens the asset. */
async function keep(page: Page, asset: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').waitFor();
  await take(page, `${name}-plan`);
  await page.getByRole('button', { name: 'Apply' }).click();
  const open = page.getByRole('link', { name: `Open ${asset}`, exact: true });
  await open.waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
  await take(page, `${name}-kept`);
  await open.click();
}

async function report(t: TestContext, steps: CountedSteps): Promise<void> {
  const clicks = await steps.clicks();
  t.diagnostic(`${clicks} clicks, ${steps.requests()} requests, ${steps.seconds().toFixed(1)} s`);
  assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks`);
}

async function begin(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('link', { name: 'Add device' }).first().click();
}

test(
  'a Modbus device comes from its address to live values in twelve clicks, without any text but names',
  needs('chromium', 'pymodbus'),
  async (t) => {
    const device = await startPymodbusServer();
    t.after(() => device.close());
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter();
    const steps = await countSteps(page);
    await begin(page);
    await take(page, 'modbus-address');
    await page.fill('#field-host', '127.0.0.1');
    await page.fill('#field-port', String(device.port));
    await page.getByRole('button', { name: 'Scan' }).click();
    const holding = page.locator('.offer-tree .folder', { hasText: 'HOLDING_REGISTERS' });
    await holding.waitFor();
    // Without a channel, the plan says so.
    await page.getByText('will have no values').waitFor();
    await page.locator('.offer-tree .folder', { hasText: 'COILS' }).waitFor();
    await page.getByText(/^Reading/).waitFor({ state: 'detached' });
    await take(page, 'modbus-found');
    await holding.locator('input').click();
    await page.locator('.channel-grid [data-row="3"]').waitFor();
    await take(page, 'modbus-channels');
    await checkAccessibility(page);
    await keep(page, 'test-server', 'modbus');
    await page.locator('.grid-row', { hasText: 'holding-7' }).getByText('7', { exact: true }).waitFor();
    await take(page, 'modbus-values');
    await report(t, steps);
  },
);

test(
  'an OPC UA server comes from its address to live values in twelve clicks: one tick takes a folder',
  needs('chromium', 'asyncua'),
  async (t) => {
    await using server = await startAsyncuaServer({ policies: ['NoSecurity'], many: 20 });
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter();
    const steps = await countSteps(page);
    await begin(page);
    await page.selectOption('select[name=kind]', 'opcua');
    await page.fill('#field-endpointUrl', `opc.tcp://127.0.0.1:${server.port}`);
    await page.getByRole('button', { name: 'Scan' }).click();
    const tank = page.locator('.offer-tree .folder', { hasText: 'Tank' }).first();
    await tank.waitFor();
    await take(page, 'opcua-found');
    await tank.locator('input').click();
    await page.locator('.channel-grid [data-row="0"]').waitFor();
    await take(page, 'opcua-channels');
    await checkAccessibility(page);
    await keep(page, '127.0.0.1', 'opcua');
    await page.locator('.grid-row', { hasText: 'Tank.Temperature' }).getByText('61.5').waitFor();
    await take(page, 'opcua-values');
    await report(t, steps);
  },
);

test(
  'a serial scale comes from its line to live values in twelve clicks: its answer is shown, with its numbers to tick',
  needs('chromium', 'socat', 'python3'),
  async (t) => {
    await using pair = await openSerialPair();
    await using _scale = await startInstrument('scale', pair.instrument);
    const { enter } = await startConsole(t, EMPTY);
    const page = await enter();
    const steps = await countSteps(page);
    await begin(page);
    await page.selectOption('select[name=kind]', 'serial');
    await page.fill('#field-device', pair.gateway);
    await page.fill('input[name=request]', String.raw`W\r\n`);
    await page.getByRole('button', { name: 'Listen' }).click();
    await page.locator('.offer-tree').getByText('ST,GS,').waitFor();
    await take(page, 'serial-found');
    await page.locator('.offer-tree .leaf input').click();
    await page.locator('.channel-grid [data-row="0"]').waitFor();
    await take(page, 'serial-channels');
    await checkAccessibility(page);
    await keep(page, 'instrument', 'serial');
    await page.locator('.grid-row', { hasText: 'GS' }).getByText('12.5').waitFor();
    await take(page, 'serial-values');
    await report(t, steps);
  },
);
