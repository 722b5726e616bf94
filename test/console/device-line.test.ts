import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startAsyncuaServer } from '../support/asyncua-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('a line shows what its reads ask for, and a meaning of registers is taken over', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/devices/line');
  await page.getByRole('button', { name: 'Test line' }).click();
  await page.getByText(/^Response received\./).waitFor();
  const requests = page.getByRole('group', { name: 'Requests of one read of pump' });
  await requests.getByText('setpoint').first().waitFor();
  await page.getByRole('button', { name: 'Read pump once and measure' }).click();
  await page.getByRole('meter', { name: 'Load of the connection' }).waitFor();
  await checkAccessibility(page);

  await page.selectOption('select[name=channel]', 'setpoint');
  // Registers hold their offsets: 7 and 8 as one number, low word first.
  await page.fill('input[name=expected]', String(8 * 65_536 + 7));
  await page.getByRole('button', { name: 'Read and identify' }).click();
  const first = page.locator('.candidates tbody tr').first();
  await first.getByText('524295').waitFor();
  assert.match(await first.innerText(), /INT32|UINT32/);
  await checkAccessibility(page);
  await first.getByRole('button', { name: /^Use / }).click();
  await page.locator('section.plan .differences').getByText('dataType').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.pending-panel').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
  await page.goto(`${page.url().split('#')[0] ?? ''}#/assets/pump`);
  await page.locator('.grid-row:not(.head)', { hasText: 'setpoint' }).getByText('524,295').waitFor();
});

test('a table tells what is wrong at its cell, and makes an asset', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/devices/sheet/pump');
  await page.getByRole('button', { name: 'Show the current table' }).click();
  const table = page.getByRole('textbox', { name: 'Table' });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the current table' }).click();
  assert.equal((await download).suggestedFilename(), 'pump.csv');
  assert.match(await table.inputValue(), /^setpoint,READ_WRITE,INTEGER,/m);
  const workbook = { name: 'pump.xlsx', mimeType: 'application/octet-stream', buffer: Buffer.from('PK\0') };
  await page.setInputFiles('input[type=file]', workbook);
  await page.getByText('pump.xlsx is not a text file.').waitFor();
  // The browser reports no change if the same name is chosen again.
  await page.click('input[type=file]');
  assert.equal(await page.inputValue('input[type=file]'), '');
  assert.match(await table.inputValue(), /^setpoint,READ_WRITE,INTEGER,/m);
  await page.fill('input[name=asset]', 'second');
  const head = 'name,type,valueType,address.unitId,address.table,address.offset,address.dataType';
  const row = (name: string, offset: number): string =>
    `"${name}",READ,INTEGER,1,HOLDING_REGISTERS,${offset},UINT16`;
  await table.fill([head, row('a', 1), row('b', 70_000)].join('\n'));
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  const fault = page.locator('.sheet-faults tbody tr');
  await fault.getByText('address.offset').waitFor();
  await checkAccessibility(page);
  await fault.getByRole('button', { name: 'Go to row 3, address.offset' }).click();
  const chosen = await page.evaluate<string>('document.getSelection().toString()');
  assert.equal(chosen, row('b', 70_000));
  await table.fill([head, row('a', 1), row('b', 2)].join('\n'));
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').getByText('assets/second').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.pending-panel').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
});

test('a device template makes an asset, and says what it needs', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/devices/template');
  await page.fill('input[name=filter]', 'no such device');
  await page.getByText('No template matches').waitFor();
  await page.fill('input[name=filter]', '');
  await page.locator('.templates a').first().click();
  await page.fill('input[name=pid]', 'heating');
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan .differences').getByText('assets/heating').waitFor();
});

test(
  'values of an OPC UA server become channels by a tick',
  needs('chromium', 'libmodbus', 'asyncua'),
  async (t) => {
    await using server = await startAsyncuaServer({ policies: ['NoSecurity'] });
    const endpointUrl = `opc.tcp://127.0.0.1:${server.port}`;
    const { enter } = await startConsole(t, {
      drivers: [{ pid: 'server', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
      assets: [],
    });
    const page = await enter('#/devices/browse');
    await page.getByRole('checkbox', { name: /^level Int32/ }).check();
    await page.getByRole('checkbox', { name: /^text String/ }).check();
    const names = page.locator('.chosen-nodes input');
    await names.first().fill('water');
    await page.fill('input[name=asset]', 'tank');
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.locator('section.plan .differences').getByText('assets/tank').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Read the values of tank' }).click();
    await page.getByText('tank: 2 of 2 good').waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Confirmed.').waitFor();
  },
);
