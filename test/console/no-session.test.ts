import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { CHIEF, signIn, signOutElsewhere, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test(
  'no answer to the console has the browser ask for BASIC, with a session and without',
  CONSOLE,
  async (t) => {
    const { open, base } = await startConsole(t, { rest: { basicAuthenticationEnabled: true } });
    const page = await open();
    const challenges: string[] = [];
    page.on('response', (response) => {
      const challenge = response.headers()['www-authenticate'];
      if (challenge !== undefined) challenges.push(`${challenge} ${response.url()}`);
    });
    await page.reload();
    await signIn(page);
    await page.goto(`${base}/#/assets/pump`);
    await page.locator('.grid-row:not(.head)', { hasText: 'setpoint' }).getByText('good').waitFor();
    await signOutElsewhere(page, base);
    await page.waitForSelector('dialog.sign-in-panel[open]');
    await page.reload();
    await page.waitForSelector('form.sign-in');
    assert.deepEqual(challenges, []);
  },
);

test('a page load without a session is no refused access in the audit', CONSOLE, async (t) => {
  const { open, base } = await startConsole(t);
  const page = await open();
  await page.waitForSelector('form.sign-in');
  // With the cookie of a session that ended, too.
  const { host: domain } = new URL(base);
  const cookie = { name: 'JSESSIONID', value: 'ended', domain: domain.split(':')[0] ?? '', path: '/' };
  await page.context().addCookies([cookie]);
  const asked = page.waitForResponse('**/xsrfToken');
  await page.reload();
  assert.equal((await asked).status(), 401);
  await signIn(page, CHIEF);
  const { request } = page.context();
  const token = await request.get(`${base}/services/session/v1/xsrfToken`);
  const { xsrfToken } = (await token.json()) as { readonly xsrfToken: string };
  const audit = await request.get(`${base}/services/audit/v1/events`, {
    headers: { 'X-XSRF-Token': xsrfToken },
  });
  const { events } = (await audit.json()) as { readonly events: readonly { readonly event: string }[] };
  const names = events.map(({ event }) => event);
  assert.ok(names.includes('LOGIN'));
  assert.ok(!names.includes('ACCESS_REFUSED'), names.join(' '));
});
