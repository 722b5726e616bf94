import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, signOutElsewhere, startConsole } from './support/console-page.ts';

test(
  'a page that nobody uses says when its session ends, and keeps it on request',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter } = await startConsole(t, { rest: { sessionInactivityIntervalSeconds: 36 } });
    const page = await enter();
    await page.clock.install();
    const asked = page.waitForResponse((response) => response.url().endsWith('/_own'));
    await page.reload();
    await asked;
    await page.waitForSelector('.shell');
    // From here on what the page asks is no use of the session; the gateway says how long it still lasts.
    const askedAgain = page.waitForResponse((response) => response.url().endsWith('/_own'));
    await page.clock.fastForward(61_000);
    await askedAgain;
    // Before it asks again.
    await page.clock.fastForward(18_000);
    const notice = page.getByText('No activity: the session ends in');
    await notice.waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await page.locator('dialog.sign-in-panel').count(), 0);
  },
);

test(
  'an answer to the session before does not sign out who has signed in since',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter, base } = await startConsole(t);
    const page = await enter();
    const held = Promise.withResolvers<undefined>();
    let isFirst = true;
    await page.route('**/xsrfToken', async (route) => {
      const isHeld = isFirst;
      isFirst = false;
      const response = await route.fetch();
      if (isHeld) await held.promise;
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest('**/xsrfToken');
    await signOutElsewhere(page, base);
    // Two questions are refused; that the session is over is found out for each.
    await page.evaluate(`location.hash = '#/assets'`);
    await asked;
    await page.evaluate(`location.hash = '#/record'`);
    await page.waitForSelector('dialog.sign-in-panel[open]');
    // The name is there already.
    await page.locator('dialog input[name=password]:focus').fill(CHIEF.password);
    await page.click('dialog button[type=submit]');
    await page.waitForSelector('dialog.sign-in-panel', { state: 'detached' });
    const late = page.waitForResponse('**/xsrfToken');
    held.resolve(undefined);
    assert.equal((await late).status(), 401);
    await page.evaluate(`location.hash = '#/assets/pump'`);
    await page.getByText('setpoint').first().waitFor();
    assert.equal(await page.locator('dialog.sign-in-panel').count(), 0);
  },
);
