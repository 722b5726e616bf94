import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, openUserMenu, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const OPERATOR = { name: 'operator', password: 'console-valve-word' };
const identities = [{ ...OPERATOR, permissions: ['rest.assets.read'] }];
const NEXT = 'another-valve-word';

test('one changes the own password in the menu of the identity, and signs in again', CONSOLE, async (t) => {
  const { open } = await startConsole(t, { identities });
  const page = await open();
  await signIn(page, OPERATOR);
  await (await openUserMenu(page)).getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  const [current, next, again] = ['current-password', 'new-password', 'new-password-again'].map((name) =>
    dialog.locator(`input[name=${name}]`),
  );
  const fieldOf = (name: string) => dialog.locator('div.field', { has: page.locator(`input[name=${name}]`) });
  assert.ok(current !== undefined && next !== undefined && again !== undefined);
  const send = dialog.locator('button[type=submit]');
  await checkAccessibility(page);
  await dialog.getByText(/At least 8 characters/i).waitFor();

  // Each fault at its field, and nothing typed is lost.
  await current.fill('wrong-valve-word');
  await next.fill(NEXT);
  await again.fill('something-else');
  await send.click();
  await fieldOf('new-password-again').getByText('The passwords do not match.').waitFor();
  await again.fill(NEXT);
  await send.click();
  await fieldOf('current-password').getByText('the current password is incorrect').waitFor();
  assert.equal(await current.getAttribute('aria-invalid'), 'true');
  assert.equal(await next.getAttribute('aria-invalid'), 'false');
  await current.fill(OPERATOR.password);
  await next.fill('short');
  await again.fill('short');
  await send.click();
  await fieldOf('new-password').getByText('the password must have at least 8 characters').waitFor();
  assert.equal(await next.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('dialog.sign-in-panel').count(), 0);

  await next.fill(NEXT);
  await again.fill(NEXT);
  await send.click();
  const panel = page.locator('dialog.sign-in-panel');
  await panel.getByText('The password has been changed, and all sessions of operator have ended.').waitFor();
  await panel.locator('input[name=password]').fill(NEXT);
  await panel.locator('button[type=submit]').click();
  await panel.waitFor({ state: 'detached' });
  await page.locator('.strip').getByText('operator').waitFor();
  assert.equal(await dialog.count(), 0);
});

test('on a telephone the own password is changed as well, in German', CONSOLE, async (t) => {
  const { open } = await startConsole(t, { identities });
  const page = await open({ viewport: { width: 360, height: 740 }, locale: 'de-DE' });
  await signIn(page, OPERATOR);
  await page.locator('.rail-menu').click();
  await page.locator('.rail-own').click();
  await page.locator('.user-menu').getByRole('button', { name: 'Passwort ändern' }).click();
  const dialog = page.getByRole('dialog', { name: 'Passwort ändern' });
  const enterNew = async (password: string): Promise<void> => {
    await dialog.locator('input[name=new-password]').fill(password);
    await dialog.locator('input[name=new-password-again]').fill(password);
    await dialog.locator('button[type=submit]').click();
  };
  await dialog.locator('input[name=current-password]').fill('wrong-valve-word');
  await enterNew(NEXT);
  // By its code: the gateway itself writes English.
  await dialog.getByText('Das aktuelle Passwort ist falsch.').waitFor();
  await dialog.locator('input[name=current-password]').fill(OPERATOR.password);
  await enterNew('penstock of the valves');
  await dialog.getByText('Das Passwort darf penstock nicht enthalten').waitFor();
  await enterNew(NEXT);
  await page.locator('dialog.sign-in-panel').getByText('Das Passwort ist geändert').waitFor();
});
