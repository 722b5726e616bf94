import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole, WELL_PUMP } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test('pinned values are on the overview in every browser, with unit, age and course', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t, { assets: [WELL_PUMP] });
  const page = await enter('#/assets/pump');
  const row = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
  await row.getByText('good').waitFor();
  const pin = row.getByRole('button', { name: 'Pin to the overview' });
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
  await pin.click();
  assert.equal((await stored).status(), 204);
  assert.equal(await pin.getAttribute('aria-pressed'), 'true');

  const other = await enter();
  const streams: string[] = [];
  other.on('request', (request) => {
    if (request.url().includes('_listen')) streams.push(new URL(request.url()).search);
  });
  await other.reload();
  const pinned = other.locator('.pins > li');
  await pinned.getByText('°C').waitFor();
  await pinned.getByText('now').waitFor();
  assert.match(await pinned.innerText(), /setpoint\s+pump\s+\d+ °C/);
  assert.equal(await pinned.locator('.sparkline').count(), 1);
  // The stream has this channel alone.
  assert.match(streams[0] ?? '', /channels=pump%2Fsetpoint$/);
  await checkAccessibility(other);
  await pinned.getByRole('button', { name: 'Unpin setpoint' }).click();
  await pinned.waitFor({ state: 'detached' });
  await other.goto(`${base}/#/assets/pump`);
  await row.waitFor();
  await page.reload();
  await row.getByText('good').waitFor();
  assert.equal(await pin.getAttribute('aria-pressed'), 'false');
});

test(
  'a thirteenth value is refused with the reason, and a pin of a channel that is gone says so',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter();
    const pins = Array.from({ length: 12 }, (_, index) => ({ asset: 'pump', channel: `gone${index}` }));
    await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'Content-Type': 'application/json' };
    const body = ${JSON.stringify(JSON.stringify({ pins }))};
    const answer = await fetch('/services/session/v1/_settings', { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
    await page.reload();
    await page.locator('.pins > li', { hasText: 'gone11' }).getByText('channel does not exist').waitFor();
    await page.goto(page.url().replace(/#.*|$/, '#/assets/pump'));
    const row = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
    await row.getByRole('button', { name: 'Pin to the overview' }).click();
    await page.getByText('The overview has 12 pinned values, the maximum. Unpin one first.').waitFor();
  },
);
