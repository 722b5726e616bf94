import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';
import { addLines, readText, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const ROOT = '/services/configuration/v1';
const LINE = '#/configuration/drivers/line';

/** Adds a connection, as another client does. */
async function addConnection(page: Page, pid: string): Promise<void> {
  await page.evaluate(`(async () => {
    const { xsrfToken } = await (await fetch('/services/session/v1/xsrfToken')).json();
    const headers = { 'X-XSRF-Token': xsrfToken, 'If-Match': '*', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ type: 'modbus', host: '127.0.0.1', port: 1 });
    const answer = await fetch('${ROOT}/drivers/${pid}', { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
}

function plan(page: Page): Promise<void> {
  return page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
}

test(
  'the text of an item needs that item and the names of the others, and nothing else',
  CONSOLE,
  async (t) => {
    const { enter, base } = await startConsole(t);
    const page = await enter('#/north');
    const read: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith(ROOT) && !pathname.endsWith('_confirm')) read.push(pathname.slice(ROOT.length));
    });
    await page.goto(`${base}/${LINE}`);
    await waitForLine(page, 'type: modbus');
    // Each once.
    assert.deepEqual(read.toSorted(), ['/drivers/line', '/outline', '/schema']);
    const tree = page.getByRole('navigation', { name: 'Sections' });
    await tree.getByRole('link', { name: 'pump' }).click();
    await waitForLine(page, 'driver: line');
    await tree.getByRole('link', { name: 'Password rules' }).click();
    await page.getByRole('textbox', { name: 'Text of passwordStrength' }).waitFor();
    assert.equal(read.includes(''), false);
    await tree.getByRole('link', { name: 'Whole document' }).click();
    await waitForLine(page, 'drivers:');
    assert.equal(read.includes(''), true);
  },
);

test(
  'a change of another part is no conflict: the plan is made again, and Apply changes the edited item alone',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const [page, other] = [await enter(LINE), await enter()];
    await addLines(page, 'responseTimeoutMs: 3000');
    await addConnection(other, 'first');
    await plan(page);
    const apply = page.getByRole('button', { name: 'Apply' });
    await apply.waitFor();
    assert.equal(await page.getByText('Another part of the configuration').count(), 0);
    await addConnection(other, 'second');
    await apply.click();
    await page.getByText('Another part of the configuration has changed since the plan').waitFor();
    assert.equal(await page.locator('.conflict').count(), 0);
    assert.match(await readText(page), /responseTimeoutMs: 3000/);
    await apply.click();
    await page.locator('.pending-panel').waitFor();
    const changes = page.locator('.pending-panel .differences li');
    await changes.first().waitFor();
    assert.equal(await changes.count(), 1);
    assert.match(await changes.innerText(), /drivers\/line responseTimeoutMs/);
    const tree = page.getByRole('navigation', { name: 'Sections' });
    for (const name of ['line', 'first', 'second']) {
      await tree.getByRole('link', { name, exact: true }).waitFor();
    }
  },
);

test('behind a proxy that compresses and weakens entity tags, a plan is made once', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter();
  await page.route(`**${ROOT}/**`, async (route) => {
    const answer = await route.fetch();
    const { etag, ...headers } = answer.headers();
    const weak = etag === undefined ? {} : { etag: `W/${etag.replace(/-\w+"$/, '"')}` };
    await route.fulfill({ response: answer, headers: { ...headers, ...weak } });
  });
  const plans: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') plans.push(request.headers()['if-match'] ?? '');
  });
  await page.evaluate(`location.hash = '${LINE}'`);
  await addLines(page, 'responseTimeoutMs: 3000');
  await plan(page);
  await page.getByRole('button', { name: 'Apply' }).waitFor();
  assert.match(plans.join(' '), /^"\d+"$/);
});

test('a plan that is made again does not take the place of what was typed since', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const [page, other] = [await enter(LINE), await enter()];
  await addLines(page, 'responseTimeoutMs: 3000');
  await plan(page);
  const apply = page.getByRole('button', { name: 'Apply' });
  await apply.waitFor();
  await addConnection(other, 'first');
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  await page.route('**/outline', async (route) => {
    await released;
    await route.continue();
  });
  const plans: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('dryRun')) plans.push(request.postData() ?? '');
  });
  const held = page.waitForRequest('**/outline');
  await apply.click();
  await held;
  await addLines(page, 'maximumGap: 3');
  release(undefined);
  const tree = page.getByRole('navigation', { name: 'Sections' });
  await tree.getByRole('link', { name: 'first', exact: true }).waitFor();
  await plan(page);
  await page.locator('.plan').getByText('maximumGap').waitFor();
  assert.deepEqual(
    plans.map((body) => body.includes('maximumGap')),
    [true],
  );
});

test('an item that is not there yet begins empty, and becomes one of the names', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/configuration/drivers/added');
  await page.getByRole('textbox', { name: 'Text of drivers/added' }).waitFor();
  await page.locator('.cm-content').press('Control+a');
  await page.keyboard.insertText('type: modbus\nhost: 127.0.0.1\nport: 1\n');
  await plan(page);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.pending-panel').waitFor();
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('link', { name: 'added', exact: true })
    .waitFor();
});
