import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const FILE = '**/assets/assets-page-*.js';
const SETUP = '**/assets/setup-views-*.js';
const ANY_PAGE = '**/assets/*-page*-*.js';
// The last one; it may have come before anybody could wait for it.
const HAS_LOADED = `performance.getEntriesByType('resource').some(
  ({ name, responseEnd }) => name.includes('/assets/record-page-') && responseEnd > 0)`;

test('a page that was never opened is there when the gateway has fallen silent', CONSOLE, async (t) => {
  const { open, kill } = await startConsole(t);
  const page = await open();
  while (!(await page.evaluate(HAS_LOADED))) await setTimeout(20);
  await signIn(page);
  await page.locator('main .overview-assets').getByText('pump').waitFor();
  await kill();
  await page.getByText(/No response since/).waitFor();

  for (const name of ['Trends', 'Devices', 'Record']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.locator('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }
});

test('a page comes without the code of the others', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t);
  const page = await enter();
  await page.route(ANY_PAGE, (route) =>
    route.request().url().includes('/record-page-') ? route.continue() : undefined,
  );
  await page.goto(`${base}/?again#/record`);
  await page.locator('.record-table td').first().waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('code that sets devices up comes when one of its sections is opened', CONSOLE, async (t) => {
  const { enter, base } = await startConsole(t);
  const page = await enter('#/devices');
  await page.locator('main').getByRole('link', { name: 'line' }).waitFor();
  const hasLoaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/setup-views-'))`;
  assert.equal(await page.evaluate(hasLoaded), false);
  await page.locator('main').getByRole('link', { name: 'Add device' }).first().click();
  await page.locator('.add-device form').waitFor();

  // Opened first, both parts of the page are requested at once.
  await page.route('**/assets/devices-page-*.js', () => undefined);
  const setup = page.waitForRequest(SETUP);
  await page.goto(`${base}/?again#/devices/sheet`);
  await setup;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a section whose code cannot be loaded says so, and is there after a reload', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/devices');
  await page.route(SETUP, (route) => route.abort());
  await page.locator('main').getByRole('link', { name: 'Add device' }).first().click();
  await page.getByText('Cannot load this page').waitFor();
  await checkAccessibility(page);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload the console' }).click();
  await page.locator('.add-device form').waitFor();
});

test(
  'a page whose file an upgrade has removed says so, and offers to reload the console',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter();
    await page.route(ANY_PAGE, (route) => route.fulfill({ status: 404, body: '' }));
    await page.reload();
    for (const name of ['Record', 'Trends', 'Configuration']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.locator('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.getByText('Cannot load this page').waitFor();
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Reload the console' }).click();
    await page.locator('.configuration .tree').waitFor();
  },
);

test(
  'a page that cannot be loaded says so, and is there after the console was reloaded',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter();
    let isReachable = false;
    await page.route(FILE, (route) => (isReachable ? route.continue() : route.abort()));
    await page.reload();
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await page.getByText('Cannot load this page').waitFor();
    await checkAccessibility(page);
    // Only from the reload on: an attempt of the page itself would remove the notice.
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isReachable = true;
    });
    await page.getByRole('button', { name: 'Reload the console' }).click();
    await page.locator('main').getByText('pump').first().waitFor();
    assert.equal(new URL(page.url()).hash, '#/assets');
  },
);
