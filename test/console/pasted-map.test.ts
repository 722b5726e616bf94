import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Locator } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole, WELL_PUMP } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
// As the manual of the ultrasonic flow meter TUF-2000M has it.
const MAP = [
  'REGISTER\tNUMBER\tVARIABLE NAME\tFORMAT\tNOTE',
  '0001-0002\t2\tFlow Rate\tREAL4\tUnit: m3/h',
  '0005-0006\t2\tVelocity\tREAL4\tUnit: m/s',
  '0009-0010\t2\tPositive accumulator\tLONG\tUnit is selected by M31',
  '0072\t1\tError Code\tBIT\t16 bits, see note 4',
  '0092\t1\tWorking step and Signal Quality\tINTEGER\tThe high byte is the working step',
].join('\n');

test('the register map of a flow meter becomes kept channels with six clicks', CONSOLE, async (t) => {
  const { enter } = await startConsole(t, { assets: [WELL_PUMP] });
  const page = await enter('#/devices/channels/pump');
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    clicks += 1;
    await target.click();
  };
  await click(page.getByRole('button', { name: 'Paste a table' }));
  await page.locator('.paste-panel textarea').fill(MAP);
  assert.equal(await page.inputValue('select[name=addressing]'), 'FROM_ONE');
  clicks += 1;
  await page.selectOption('select[name=wordOrder]', 'LITTLE_ENDIAN');
  await click(page.getByRole('button', { name: 'Add channels (5)' }));
  await click(page.getByRole('button', { name: 'Plan', exact: true }));
  await click(page.getByRole('button', { name: 'Apply' }));
  await click(page.getByRole('button', { name: 'Confirm' }));
  await page.getByText('Confirmed.').waitFor();
  assert.equal(clicks, 6);
  const kept = await page.evaluate<readonly (readonly unknown[])[]>(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const answer = await fetch('/services/configuration/v1/assets/pump', { headers: { 'X-XSRF-Token': xsrfToken } });
    const { channels } = await answer.json();
    return channels.slice(3).map(({ name, unit, address }) => [name, unit ?? '', address.offset, address.dataType, address.wordOrder ?? '']);
  })()`);
  assert.deepEqual(kept, [
    ['Flow-Rate', 'm3/h', 0, 'FLOAT32', 'LITTLE_ENDIAN'],
    ['Velocity', 'm/s', 4, 'FLOAT32', 'LITTLE_ENDIAN'],
    ['Positive-accumulator', '', 8, 'INT32', 'LITTLE_ENDIAN'],
    ['Error-Code', '', 71, 'UINT16', ''],
    ['Working-step-and-Signal-Quality', '', 91, 'INT16', ''],
  ]);
});
