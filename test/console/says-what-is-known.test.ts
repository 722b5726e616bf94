import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

// All that a page may not say of what it does not know.
const CLAIMS = ['Nothing needs attention', 'checks passed', 'answering', 'No channel name contains', 'Live'];

async function listClaims(page: Page): Promise<readonly string[]> {
  const text = await page.locator('#console').innerText();
  return CLAIMS.filter((claim) => text.includes(claim)).concat(/\b0 of \d+ good|All 0/.exec(text) ?? []);
}

test('while the gateway is away the page says since when, and claims nothing', CONSOLE, async (t) => {
  const { enter, base, kill, startAgain } = await startConsole(t);
  const page = await enter('#/assets/pump');
  await page.getByText('3 of 4 good').waitFor();
  for (const place of ['assets', 'overview']) {
    await page.goto(`${base}/#/${place}`);
    await page.locator('.page table').getByText('answering').first().waitFor();
  }
  await page.getByText('checks passed').waitFor();
  await kill();
  await page.getByText(/^No response since \d\d:\d\d:\d\d; data is from then$/).waitFor();
  await page.locator('.summary').getByText('Unknown: the gateway does not respond.').waitFor();
  for (const place of ['overview', 'assets', 'assets/pump']) {
    await page.evaluate(`location.hash = '#/${place}'`);
    await page.locator('.page h1').waitFor();
    assert.deepEqual(await listClaims(page), [], place);
  }
  await startAgain();
  await page.getByText(/^No response since/).waitFor({ state: 'detached' });
});

test('a gateway that takes requests and answers none is away as well', CONSOLE, async (t) => {
  const { enter, gateway } = await startConsole(t);
  const page = await enter();
  await page.locator('.summary').waitFor();
  gateway.process.kill('SIGSTOP');
  t.after(() => gateway.process.kill('SIGCONT'));
  await page.getByText(/^No response since/).waitFor();
  assert.deepEqual(await listClaims(page), []);
  gateway.process.kill('SIGCONT');
  await page.getByText(/^No response since/).waitFor({ state: 'detached' });
});

test('while something loads the page shows outlines and claims nothing', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t);
  const page = await enter();
  await page.locator('.summary').waitFor();
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/services\/(?!session\/v1\/(?:xsrfToken|currentIdentity|_own)$)/, async (route) => {
    await held.promise;
    await route.continue();
  });
  for (const place of ['overview', 'assets', 'assets/pump', 'access', 'record/audit', 'software']) {
    await page.goto(`${base}/#/${place}`);
    await page.reload();
    await page.locator('.page .outline').first().waitFor();
    assert.deepEqual(await listClaims(page), [], place);
    assert.equal(await page.locator('.page table, .page [role=grid]').count(), 0, place);
  }
  held.resolve(undefined);
  await page.goto(`${base}/#/assets/pump`);
  await page.getByText('3 of 4 good').waitFor();
  assert.equal(await page.locator('.page .outline').count(), 0);
});

test('until the first values are there, an asset counts none of them as good', CONSOLE, async (t) => {
  const held = Promise.withResolvers<undefined>();
  const meter = await startFaultServer((request, connection) => {
    void held.promise.then(() => connection.send(answerFrame(request)));
  });
  t.after(() => meter.close());
  const place = { host: '127.0.0.1', port: meter.port, responseTimeoutMs: 60_000 };
  const { enter } = await startConsole(t, { drivers: [{ pid: 'line', type: 'modbus', ...place }] });
  const page = await enter('#/assets/pump');
  await page.locator('.grid-row', { hasText: 'setpoint' }).locator('.outline-word').first().waitFor();
  assert.equal(await page.getByText(/\d of \d good|Bad \d/).count(), 0);
  assert.equal(await page.locator('.grid').getByText('not read yet').count(), 0);
  held.resolve(undefined);
  await page.getByText(/\d of 4 good/).waitFor();
});
