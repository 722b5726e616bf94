import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('the overview says what needs somebody, why, and what to do; it asks no device', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter();
  const asset = page.locator('.overview-assets tbody tr', { hasText: 'pump' });
  await asset.getByText('not polled yet').waitFor();
  await asset.getByText('– / 4').waitFor();
  const connection = page.locator('.overview-connections tbody tr', { hasText: 'line' });
  // A rate is known after two looks at the counters.
  await connection.getByText('0.0').waitFor();
  await page.getByText('Configuration: snapshot 1 is active').waitFor();
  await page.getByRole('button', { name: 'Checks' }).click();
  await page.locator('.checks').getByText('no client reads its values').waitFor();
  await checkAccessibility(page);

  await started.device.close();
  await page.goto(`${page.url().split('#')[0] ?? ''}#/assets/pump`);
  await page.getByText('Bad 4').waitFor();
  await page.goto(`${page.url().split('#')[0] ?? ''}#/overview`);
  const trouble = page.locator('.attention-list li', { hasText: 'line: no connection' });
  await trouble.getByText('Assets on this connection: pump.').waitFor();
  await asset.getByText('0 / 4').waitFor();
  await trouble.getByRole('button', { name: 'Test now' }).click();
  await trouble.getByText(/No response after \d+ ms/).waitFor();
  await checkAccessibility(page);
});

test('who may only read assets sees their connections on the overview, and no events', CONSOLE, async (t) => {
  const reader = { name: 'reader', permissions: ['rest.assets.read'], password: 'console-turbine-password' };
  const started = await startConsole(t, { identities: [reader] });
  const page = await started.open({ viewport: { width: 360, height: 740 } });
  await page.fill('input[name=username]', reader.name);
  await page.fill('input[name=password]', reader.password);
  await page.click('.sign-in button[type=submit]');
  await page.locator('.overview-connections tbody tr', { hasText: 'line' }).waitFor();
  await page.getByText('Only the connections and channels of your assets are checked here.').waitFor();
  assert.equal(await page.locator('.newest').count(), 0);
  assert.deepEqual(await page.locator('.rail a').allInnerTexts(), ['Overview', 'Assets', 'Trends', 'Access']);
  await checkAccessibility(page);
});

test('a change that waits to be kept is told with who made it and when it comes back', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter();
  await page.locator('.summary').waitFor();
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const path = '/services/configuration/v1/banners?confirmWithin=300';
    const headers = { 'X-XSRF-Token': xsrfToken, 'If-Match': '*', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ preLogin: { enabled: true, message: 'changed' } });
    const answer = await fetch(path, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
  await page.getByText('Changed by chief. Reverts to snapshot 1 in').waitFor();
});

test('what was checked this second was checked just now, not 0 s ago', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter();
  // Every age that is shown, however short.
  await page.addInitScript(`globalThis.ages = [];
    new MutationObserver(() => {
      const age = document.querySelector('.summary > span')?.textContent ?? '';
      if (globalThis.ages.at(-1) !== age) globalThis.ages.push(age);
    }).observe(document, { subtree: true, childList: true, characterData: true });`);
  await page.reload();
  await page.locator('.summary > span', { hasText: / ago$/ }).waitFor();
  const ages = await page.evaluate<readonly string[]>('globalThis.ages.filter((age) => age !== "")');
  assert.equal(ages[0], 'just now');
  assert.ok(!ages.includes('0 s ago'), ages.join());
});
