import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAuthenticatorApp } from '../support/authenticator-app.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, checkAccessibility, shareConsole, startConsole } from './support/console-page.ts';
import { readQrCode } from './support/read-qr-code.ts';

interface CertificateList {
  readonly certificates: readonly { readonly validFrom: number; readonly validUntil: number }[];
}

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test('identities are made, changed and deleted, and their grants told in words', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/access');
  await page.getByRole('row', { name: CHIEF.name }).getByText('do everything (rest.admin)').waitFor();
  // The actions of a row appear under the pointer: a heading would be over nothing.
  assert.deepEqual(await page.locator('#identities ~ .wide-table th').allTextContents(), [
    'Name',
    'Authentication',
    'Access',
  ]);
  await checkAccessibility(page);
  await page.getByRole('link', { name: 'New identity' }).click();
  await page.fill('input[name=userName]', 'night-shift');
  await page.fill('input[name=password]', 'short');
  const addGrant = page.getByRole('button', { name: 'Add a grant' });
  await addGrant.click();
  await page.fill('input[name="assets 1"]', 'line1-*, line2-*');
  await addGrant.click();
  const second = page.getByRole('group', { name: 'Grant 2' });
  await second.getByLabel('Assets').fill('boiler');
  await second.getByLabel('Channels').fill('setpoint');
  await second.getByLabel('read').uncheck();
  await second.getByLabel('write').check();
  await second.getByLabel('Until').fill('2040-05-06T18:00');
  await second.getByLabel('Reason').fill('permit 12');
  await checkAccessibility(page);
  const create = page.getByRole('button', { name: 'Create night-shift' });
  await create.click();
  // In the words of the gateway, and nothing that was typed is lost.
  await page.locator('.notice.fault', { hasText: 'password' }).waitFor();
  await page.fill('input[name=password]', 'turbine-password');
  await create.click();
  await page.getByRole('button', { name: 'Save night-shift' }).waitFor();
  const bodies: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') bodies.push(request.postDataJSON());
  });
  await page.getByLabel('rest.events').check();
  await page.getByRole('button', { name: 'Save night-shift' }).click();
  await page.getByText('night-shift saved.').waitFor();
  // Only what was changed.
  assert.deepEqual(bodies, [{ userName: 'night-shift', permissions: ['rest.events'] }]);
  await page.goto(`${new URL(page.url()).origin}/#/access`);
  const row = page.getByRole('row', { name: 'night-shift' });
  await row.waitFor();
  assert.match(
    await row.innerText(),
    /password, change required\s+see events and checks \(rest\.events\); reads line1-\*, line2-\*; writes boiler\/setpoint until .*2040.* \(permit 12\)/,
  );
  await row.getByRole('link', { name: 'Edit night-shift' }).click();
  await page.getByRole('button', { name: 'Delete night-shift …' }).click();
  await page.getByText('Delete night-shift? Its sessions and tokens become invalid.').waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Delete night-shift', exact: true }).click();
  await page.getByRole('link', { name: CHIEF.name, exact: true }).waitFor();
  assert.equal(await row.count(), 0);
});

test('certificates are shown with the time they have left', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/access');
  const served = page.locator('.certificate', { hasText: 'server certificate' });
  await served.waitFor();
  assert.match(await served.innerText(), /[\d,]+ d left, until/);
  const bar = served.getByRole('meter', { name: 'Certificate lifetime' });
  assert.match((await bar.getAttribute('aria-valuetext')) ?? '', /d left/);
  const { certificates } = await page.evaluate<CertificateList>(
    `fetch('/services/session/v1/xsrfToken').then((answer) => answer.json()).then(({ xsrfToken }) =>
      fetch('/services/status/v1/certificates', { headers: { 'X-XSRF-Token': xsrfToken } })).then((answer) => answer.json())`,
  );
  const { validFrom, validUntil } = certificates[0] ?? { validFrom: 0, validUntil: 0 };
  assert.ok(validFrom > 0);
  const share = (100 * (Date.now() - validFrom)) / (validUntil - validFrom);
  const shown = Number(await bar.getAttribute('aria-valuenow'));
  assert.ok(Math.abs(shown - share) < 0.2, `${shown} instead of ${share}`);
});

test('whoever is signed in sets a second factor up with the code that the page shows', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/access');
  const form = page.locator('.own-factor form');
  await form.locator('input[type=password]').fill(CHIEF.password);
  await form.getByRole('button', { name: 'Set up' }).click();
  const address = await form.locator('a[href^="otpauth:"]').getAttribute('href');
  assert.equal(await readQrCode(page.getByRole('img', { name: /^QR code/ })), address);
  await checkAccessibility(page);
  const secret = new URL(address ?? '').searchParams.get('secret') ?? '';
  assert.equal(await form.locator('.secret').innerText(), secret);
  await form.locator('input[autocomplete="one-time-code"]').fill(createAuthenticatorApp(secret)());
  await form.getByRole('button', { name: 'Enable' }).click();
  await page.locator('.own-factor li').first().waitFor();
});
