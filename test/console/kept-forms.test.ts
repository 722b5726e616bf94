import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Dialog, Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

/** Reloads a page, and returns the kinds of the questions that the browser asked. */
async function reload(page: Page): Promise<readonly string[]> {
  const asked: string[] = [];
  const onDialog = (dialog: Dialog): void => {
    asked.push(dialog.type());
    void dialog.accept();
  };
  page.on('dialog', onDialog);
  await page.reload();
  page.off('dialog', onDialog);
  await page.locator('.shell h1').waitFor();
  return asked;
}

test(
  'what was typed for a device is there after back and forward, and a name that exists is marked before the plan',
  CONSOLE,
  async (t) => {
    const { enter, device } = await startConsole(t, {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: 1 }],
      assets: [{ pid: 'pump', driver: 'line', channels: [] }],
    });
    const page = await enter('#/devices');
    const leaveAndReturn = async (): Promise<void> => {
      await page.goBack();
      await page.locator('.connections td').first().waitFor();
      await page.goForward();
    };
    await page.getByRole('link', { name: 'Add device' }).first().click();
    await page.fill('#field-host', '127.0.0.1');
    await page.fill('#field-port', String(device.port));
    await leaveAndReturn();
    assert.equal(await page.inputValue('#field-host'), '127.0.0.1');
    assert.equal(await page.inputValue('#field-port'), String(device.port));

    await page.getByRole('button', { name: 'Scan' }).click();
    const connection = page.locator('.plan-step input[name=pid]');
    const asset = page.locator('.plan-step input[name=asset]');
    const plan = page.getByRole('button', { name: 'Plan', exact: true });
    await connection.fill('line');
    await page.locator('#pid-words').getByText('line already exists.').waitFor();
    assert.equal(await connection.getAttribute('aria-invalid'), 'true');
    assert.equal(await plan.isDisabled(), true);
    await checkAccessibility(page);
    await connection.fill('line2');
    await asset.fill('pump');
    await page.locator('.device-part').getByText('pump already exists.').waitFor();
    assert.equal(await plan.isDisabled(), true);
    await asset.fill('pump2');
    await leaveAndReturn();
    assert.equal(await connection.inputValue(), 'line2');
    assert.equal(await asset.inputValue(), 'pump2');
    await plan.click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.added-device').waitFor();
    assert.deepEqual(await reload(page), []);
  },
);

test(
  'unsaved input of an identity is there after back and forward, a reload shows a question, and it can be discarded',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter('#/access');
    await page.getByRole('link', { name: 'New identity' }).click();
    const name = page.locator('input[name=userName]');
    await name.click();
    await name.fill('operator');
    await page.goBack();
    await page.getByRole('link', { name: 'New identity' }).waitFor();
    await page.goForward();
    assert.equal(await name.inputValue(), 'operator');
    await page.getByRole('button', { name: 'Discard input' }).click();
    assert.equal(await name.inputValue(), '');
    assert.deepEqual(await reload(page), []);
    await name.click();
    await name.fill('operator');
    assert.deepEqual(await reload(page), ['beforeunload']);
    assert.equal(await name.inputValue(), '');
  },
);
