import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Page, Request } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { holdRequests, signIn, signOut, signOutElsewhere, startConsole } from './support/console-page.ts';
import { replaceText } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const SESSION = '/services/session/v1';
const OPERATOR = { name: 'operator', password: 'console-valve-word' };
const ENGINEER = { name: 'engineer', password: 'console-bridge-word' };
const permissions = ['rest.assets', 'rest.configuration'];
const identities = [
  { ...OPERATOR, permissions },
  { ...ENGINEER, permissions },
];

/** A page of the operator on which a value was checked, and is to be written next. */
async function startWriting(t: TestContext) {
  const { open, base } = await startConsole(t, { identities });
  const page = await open();
  await signIn(page, OPERATOR);
  await page.goto(`${base}/#/assets/pump`);
  await setpointOf(page).getByText('good').waitFor();
  await setpointOf(page).getByRole('button', { name: 'Write' }).click();
  await page.locator('form.write input[name=value]').fill('61');
  await page.locator('form.write').getByRole('button', { name: 'Check' }).click();
  await writeButtonOf(page).waitFor();
  return { page, base };
}

const setpointOf = (page: Page) => page.locator('.grid-row:not(.head)', { hasText: 'setpoint' });
const writeButtonOf = (page: Page) => page.locator('form.write button.main');

/** Gives the browser of a page the session of another login, of which it is not told: as if on another port of the gateway. */
async function replaceSession(page: Page, base: string, { name, password }: typeof OPERATOR) {
  const elsewhere = await page.context().browser()?.newContext({ ignoreHTTPSErrors: true });
  assert.ok(elsewhere !== undefined);
  const { request } = elsewhere;
  const data = { username: name, password };
  const login = await request.post(`${base}${SESSION}/login/password`, { data });
  assert.equal(login.status(), 200);
  const token = await request.get(`${base}${SESSION}/xsrfToken`);
  const { xsrfToken } = (await token.json()) as { readonly xsrfToken: string };
  await page.context().addCookies(await elsewhere.cookies());
  const read = async (): Promise<unknown> => {
    const headers = { 'X-XSRF-Token': xsrfToken };
    const answer = await request.get(`${base}/services/assets/pump/_read?channels=setpoint`, { headers });
    const [record] = (await answer.json()) as readonly { readonly value: unknown }[];
    return record?.value;
  };
  return { xsrfToken, read };
}

/** Signs out, and waits for the form of the next login: until then, a panel can be in its place. */
async function signOutHere(page: Page): Promise<void> {
  await signOut(page);
  await page.waitForSelector('.shell', { state: 'detached' });
}

test(
  'a page of one identity sends nothing on the session of another that the browser has since',
  CONSOLE,
  async (t) => {
    const { page, base } = await startWriting(t);
    const { xsrfToken, read } = await replaceSession(page, base, ENGINEER);
    const before = await read();
    const sent: Request[] = [];
    page.on('request', (request) => sent.push(request));
    // The stream or a refresh may have noticed before, and the page is hidden then.
    await writeButtonOf(page).dispatchEvent('click');
    await page.getByText('This browser is signed in as engineer now').waitFor();
    assert.equal(await read(), before);
    assert.equal(await page.locator('.strip').isVisible(), false);
    assert.equal(await page.locator('form.write').isVisible(), false);
    // What was asked as the engineer is who that is, and no more.
    const asEngineer = sent.filter((request) => request.headers()['x-xsrf-token'] === xsrfToken);
    assert.deepEqual(
      [...new Set(asEngineer.map((request) => request.url()))],
      [`${base}${SESSION}/currentIdentity`],
    );
    await page.getByRole('button', { name: 'Continue as engineer' }).click();
    await page.locator('.strip').getByText('engineer').waitFor();
    await setpointOf(page).getByText('good').waitFor();
    assert.equal(await page.locator('form.write').count(), 0);
    assert.equal(await read(), before);
  },
);

test(
  'a page is told at once that another tab signed in as somebody else, and goes on when that is over',
  CONSOLE,
  async (t) => {
    const { page, base } = await startWriting(t);
    const other = await page.context().newPage();
    await other.goto(base);
    await other.waitForSelector('.shell');
    // By nothing that it asks for itself.
    const others = /\/services\/(?!session\/v1\/(?:xsrfToken|currentIdentity|authenticationInfo)$)/;
    const answered = Promise.withResolvers<undefined>();
    await page.route(others, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await signOutHere(other);
    await page.waitForSelector('dialog.sign-in-panel[open]');
    await signIn(other, ENGINEER);
    await page.getByText('This browser is signed in as engineer now').waitFor();
    await signOutHere(other);
    await page.getByText('This browser is signed in as').waitFor({ state: 'detached' });
    await signIn(other, OPERATOR);
    await page.waitForSelector('dialog.sign-in-panel', { state: 'detached' });
    answered.resolve(undefined);
    await writeButtonOf(page).click();
    await page.locator('form.write').getByText('VERIFIED').waitFor();
  },
);

test(
  'whoever was replaced signs in again on the panel, and finds what was typed; the other does not',
  CONSOLE,
  async (t) => {
    const { open, base } = await startConsole(t, { identities });
    const page = await open();
    await signIn(page, OPERATOR);
    await page.goto(`${base}/#/configuration/banners`);
    await replaceText(page, 'preLogin: { enabled: true, message: not ready yet }');
    await page.locator('.strip').getByText('1 draft').waitFor();
    await replaceSession(page, base, ENGINEER);
    const panel = page.locator('dialog.sign-in-panel');
    await panel.getByText('This browser is signed in as engineer now').waitFor();
    assert.equal(await page.getByText('not ready yet').isVisible(), false);
    await panel.getByRole('button', { name: 'Sign in as operator' }).click();
    await panel.locator('input[name=password]').fill(OPERATOR.password);
    await panel.locator('button[type=submit]').click();
    await panel.waitFor({ state: 'detached' });
    await page.getByText('not ready yet').waitFor();
    await replaceSession(page, base, ENGINEER);
    await panel.getByRole('button', { name: 'Continue as engineer' }).click();
    await page.locator('.strip').getByText('engineer').waitFor();
    assert.equal(await page.getByText('not ready yet').count(), 0);
    assert.equal(await page.locator('.strip').getByText('draft').count(), 0);
  },
);

test('the same identity in a new session of the browser goes on without a word', CONSOLE, async (t) => {
  const { page, base } = await startWriting(t);
  const release = await holdRequests(page);
  await signOutElsewhere(page, base);
  await replaceSession(page, base, OPERATOR);
  release();
  await writeButtonOf(page).click();
  await page.locator('form.write').getByText('VERIFIED').waitFor();
});
