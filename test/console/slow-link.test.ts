import assert from 'node:assert/strict';
import { test } from 'node:test';

import { KnownReplies } from '../../daemon/console/api/known-replies.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, shareConsole, signIn } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

test('what the gateway has sent before is not sent again, and the page shows it', CONSOLE, async (t) => {
  const { enter, base } = await openShared(t);
  const page = await enter();
  const first = page.waitForResponse(/configuration\/v1\/schema$/);
  await page.goto(`${base}/#/configuration/drivers/line`);
  // The page keeps a whole response only, and the text is shown before the schema is there.
  await (await first).finished();
  const answers = new Map<string, number>();
  page.on('response', (response) => void answers.set(new URL(response.url()).pathname, response.status()));
  await page.goto(`${base}/#/record`);
  await page.locator('.record-table td').first().waitFor();
  const schema = page.waitForResponse(/configuration\/v1\/schema$/);
  await page.goto(`${base}/#/configuration/drivers/line`);
  await page.locator('.target-editor .cm-content').getByText('modbus').waitFor();
  // The text is shown before.
  await schema;
  const root = '/services/configuration/v1';
  const paths = ['/outline', '/drivers/line', '/schema'].map((name) => `${root}${name}`);
  assert.deepEqual(
    paths.map((each) => answers.get(each)),
    [304, 304, 304],
  );
});

test('the schema comes compressed, the token of the session does not', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/configuration/drivers/line');
  const schema = page.waitForResponse(/configuration\/v1\/schema$/);
  const token = page.waitForResponse(/xsrfToken$/);
  await page.reload();
  assert.equal(await (await schema).headerValue('content-encoding'), 'br');
  assert.equal(await (await token).headerValue('content-encoding'), null);
});

test('an outline is there before the code of the console', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  const page = await open();
  await page.route('**/assets/*.js', () => undefined);
  await page.goto(`${base}/?again`, { waitUntil: 'commit' });
  await page.locator('.loading-strip').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test(
  'the library of the editor is requested next to the frame, by the link of a text alone',
  CONSOLE,
  async (t) => {
    const { open, base } = await openShared(t);
    const page = await open();
    const library = /\/assets\/code-editor-library-/;
    await page.route(/\/assets\/frame-[^/]+\.js$/, () => undefined);
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(request.url()));
    await page.goto(`${base}/?text#/configuration/drivers`, { waitUntil: 'commit' });
    await page.waitForResponse(/\/assets\/early-editor-/);
    const early = page.waitForRequest(library);
    await page.goto(`${base}/?again#/configuration/drivers/line`, { waitUntil: 'commit' });
    await early;
    assert.equal(requested.filter((url) => library.test(url)).length, 1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
);

test('words of the gateway whose file is lost on its way are there when it comes', CONSOLE, async (t) => {
  const { open, base } = await openShared(t);
  for (const { locale, file, words } of [
    {
      locale: 'en-GB',
      file: /\/assets\/english-meanings-/,
      words: 'refused or failed: user name, password or certificate is incorrect',
    },
    {
      locale: 'de-DE',
      file: /\/assets\/german-/,
      words: /Benutzername, Passwort oder Zertifikat ist falsch/,
    },
  ]) {
    const page = await open({ locale });
    let failures = 0;
    await page.route(file, (route) => {
      failures += 1;
      return failures === 1 ? route.abort() : route.continue();
    });
    await page.reload();
    await page.fill('input[name=username]', CHIEF.name);
    await page.fill('input[name=password]', 'wrong');
    await page.click('.sign-in button[type=submit]');
    await page.locator('.sign-in .notice').waitFor();
    await signIn(page);
    await page.goto(`${base}/#/record/audit?all=1`);
    await page.check('input[name=all]');
    await page.locator('.audit-table tbody').getByText(words).first().waitFor();
    assert.ok(failures > 1, locale);
  }
});

test('of the responses with a tag the newest twelve are kept, until another identity signs in', () => {
  const known = new KnownReplies();
  known.note('/without', 1, new Headers());
  assert.equal(known.find('/without'), undefined);
  for (let index = 0; index < 13; index += 1) {
    known.note(`/${index}`, index, new Headers({ ETag: `"${index}"` }));
  }
  assert.equal(known.find('/0'), undefined);
  assert.deepEqual([known.find('/1')?.tag, known.find('/12')?.value], ['"1"', 12]);
  known.note('/12', 13, new Headers());
  assert.equal(known.find('/12'), undefined);
  known.clear();
  assert.equal(known.find('/1'), undefined);
});
