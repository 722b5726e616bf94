import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

test(
  'a page that nobody uses says when its session ends, and keeps it on request',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { enter } = await startConsole(t, { rest: { sessionInactivityIntervalSeconds: 36 } });
    const page = await enter();
    await page.clock.install();
    const asked = page.waitForResponse((response) => response.url().endsWith('/currentIdentity'));
    await page.reload();
    await asked;
    await page.waitForSelector('.shell');
    // From here on what the page asks is no use of the session; the gateway says how long it still lasts.
    const askedAgain = page.waitForResponse((response) => response.url().endsWith('/currentIdentity'));
    await page.clock.fastForward(61_000);
    await askedAgain;
    // Before it asks again.
    await page.clock.fastForward(18_000);
    const notice = page.getByText('Nobody has used this page for a while');
    await notice.waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await page.locator('dialog.sign-in-panel').count(), 0);
  },
);
