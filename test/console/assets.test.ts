import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAuthenticatorApp } from '../support/authenticator-app.ts';
import { needs } from '../support/tests-that-need.ts';
import { readQrCode } from './support/read-qr-code.ts';
import {
  checkAccessibility,
  CHIEF,
  holdRequests,
  signIn,
  signOutElsewhere,
  shareConsole,
  startConsole,
} from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test(
  'a wrong password is told in the words of the gateway, and the right one opens the console',
  CONSOLE,
  async (t) => {
    const { open } = await openShared(t);
    const page = await open();
    await checkAccessibility(page);
    await page.fill('input[name=username]', CHIEF.name);
    await page.fill('input[name=password]', 'wrong');
    await page.click('button[type=submit]');
    await page.waitForSelector('.notice.fault');
    await page.locator('.notice.fault summary').click();
    assert.match(await page.innerText('.notice.fault'), /Request [\w-]+/);
    await signIn(page);
    assert.equal(await page.getAttribute('.rail a[aria-current=page]', 'href'), '#/overview');
  },
);

test('an identity that needs a second factor sets it up, and signs in with its codes', CONSOLE, async (t) => {
  const operator = { name: 'operator', password: 'console-test-second-factor' };
  const { open } = await startConsole(t, {
    identities: [{ ...operator, permissions: ['rest.assets'], secondFactorRequired: true }],
  });
  const page = await open();
  const enter = async () => {
    await page.fill('input[name=username]', operator.name);
    await page.fill('input[name=password]', operator.password);
    await page.click('button[type=submit]');
  };
  await enter();
  const secret = await page.innerText('.secret');
  const address = await page.getAttribute('.sign-in a[href^="otpauth:"]', 'href');
  const code = page.getByRole('img', { name: /^QR code/ });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await readQrCode(code), address);
  }
  assert.equal(new URL(address ?? '').searchParams.get('secret'), secret);
  await checkAccessibility(page);
  const app = createAuthenticatorApp(secret);
  await page.fill('input[name=code]', '1234567');
  await page.click('button[type=submit]');
  await page.waitForSelector('.notice.fault');
  await page.fill('input[name=code]', app());
  await page.click('button[type=submit]');
  await page.getByText('I have stored them').click();
  await enter();
  await page.locator('input[name=code]:focus').waitFor();
  assert.equal(await page.locator('.notice.fault').count(), 0);
  await page.fill('input[name=code]', '1234567');
  await page.click('button[type=submit]');
  await page.waitForSelector('.notice.fault');
  await page.fill('input[name=code]', app(1));
  await page.click('button[type=submit]');
  await page.waitForSelector('.shell');
});

test('a live table shows values, what failed and why, and every digit', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  const row = (name: string) => page.locator('.grid-row:not(.head)', { hasText: name });
  await row('level').getByText('good').waitFor();
  assert.equal(await row('level').locator('.cell.value').innerText(), '8');
  assert.equal(await row('setpoint').locator('.cell.unit').innerText(), '°C');
  // 200, 201, 202 and 203 of 16 bits each.
  assert.equal(await row('count').locator('.cell.value').innerText(), '56,295,858,643,796,171');
  assert.match(await row('missing').locator('.cell.quality').innerText(), /exception|illegal/i);
  await page.fill('input[type=search]', 'lev');
  await row('setpoint').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.grid-row:not(.head)').count(), 1);
  assert.match(page.url(), /filter=lev/);
  await checkAccessibility(page);
  await page.focus('.grid');
  await page.keyboard.press('t');
  await page.waitForURL(/#\/trends\?c=pump\/level/);
  await page.locator('canvas').first().waitFor();
});

test(
  'a write is checked, sent once, and its outcome told; limits and texts are refused',
  CONSOLE,
  async (t) => {
    const { enter } = await startConsole(t);
    const page = await enter('#/assets/pump');
    const setpoint = page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
    await setpoint.getByText('good').waitFor();
    await page.focus('.grid');
    await page.keyboard.press('w');
    const panel = page.locator('form.write');
    const typeIn = async (text: string) => {
      await panel.locator('input[name=value]').fill(text);
      await page.keyboard.press('Enter');
    };
    await typeIn('12a');
    await panel.getByText('“12a” is not a whole number.').waitFor();
    await typeIn('95');
    await panel.getByText('NOT_SENT').waitFor();
    await typeIn('61');
    await panel.getByText('Would send 61 °C. Nothing is sent yet.').waitFor();
    await checkAccessibility(page);
    const writes: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/_write')) writes.push(request.headers()['idempotency-key'] ?? '');
    });
    await panel.locator('button.main').dblclick();
    await panel.getByText('VERIFIED').waitFor();
    assert.equal(writes.length, 1);
    assert.match(writes[0] ?? '', /^[0-9a-f]{32}$/);
    await setpoint.locator('.cell.value', { hasText: '61' }).waitFor();
    await panel.getByText('Write 7 °C again').waitFor();
  },
);

test('when a session ends, what was typed is still there after signing in again', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/assets/pump');
  await page
    .locator('.grid-row:not(.head)', { hasText: 'setpoint' })
    .getByRole('button', { name: 'Write' })
    .click();
  await page.locator('form.write input[name=value]').fill('42');
  await page.context().clearCookies();
  // What the page asks by itself may have shown the panel before.
  await page.locator('form.write button[type=submit]').dispatchEvent('click');
  await page.waitForSelector('dialog.sign-in-panel[open]');
  await checkAccessibility(page);
  await page.fill('dialog input[name=password]', CHIEF.password);
  await page.click('dialog button[type=submit]');
  await page.waitForSelector('dialog.sign-in-panel', { state: 'detached' });
  assert.equal(await page.locator('form.write input[name=value]').inputValue(), '42');
  await page.locator('form.write button[type=submit]').click();
  await page.getByText('Would send 42 °C. Nothing is sent yet.').waitFor();
});

test('a stream whose session ended goes on with that of another tab', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter('#/assets/pump');
  const level = page.locator('.grid-row:not(.head)', { hasText: 'level' });
  await level.locator('.cell.value', { hasText: '8' }).waitFor();
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/_listen')) statuses.push(response.status());
  });
  const resumed = page.waitForResponse(
    (response) => response.url().includes('/_listen') && response.status() === 200,
  );

  const release = await holdRequests(page);
  const reopening = page.waitForRequest((request) => request.url().includes('/_listen'));
  await signOutElsewhere(page, base);
  const login = await page.context().request.post(`${base}/services/session/v1/login/password`, {
    data: { username: CHIEF.name, password: CHIEF.password },
  });
  assert.equal(login.status(), 200);
  // Otherwise another request of the page can find the new session first, and the stream is opened with it at once.
  await reopening;
  release();

  await resumed;
  assert.deepEqual(statuses, [401, 200]);
  await page.getByText('No updates since').waitFor({ state: 'detached' });
  assert.equal(await page.locator('dialog.sign-in-panel').count(), 0);
});

test('a gateway that goes away and comes back is told, and the values live again', CONSOLE, async (t) => {
  const { enter, device } = await startConsole(t);
  const page = await enter('#/assets/pump', { viewport: { width: 360, height: 740 } });
  const level = page.locator('.grid-row:not(.head)', { hasText: 'level' });
  await level.locator('.cell.value', { hasText: '8' }).waitFor();
  await device.close();
  await level.locator('.cell.value', { hasText: '(8)' }).waitFor();
  await page.getByText('Bad 4').waitFor();
});
