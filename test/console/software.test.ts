import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildPackage } from '../support/package-builder.ts';
import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');

test(
  'a package is installed from a file, its failure told with the reason, and it is uninstalled by name',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/software');
    await page.getByText('No package is installed.').waitFor();
    await checkAccessibility(page);
    const choose = (name: string, buffer: Buffer) =>
      page.setInputFiles('input[type=file]', { name, mimeType: 'application/octet-stream', buffer });

    await choose('empty.dp', Buffer.alloc(0));
    await page.getByText('empty.dp is empty.').waitFor();
    await choose('nonsense.dp', Buffer.from('no package'));
    await page.getByRole('button', { name: 'Install nonsense.dp' }).click();
    const history = page.locator('.operations tbody tr');
    await history.first().getByText('failed while').waitFor();
    assert.match(await history.first().innerText(), /\(4\d\d\)/);

    const bundles = [{ symbolicName: 'pump', main: 'export function activate() {}' }];
    await choose('pumps.dp', buildPackage({ symbolicName: 'pumps', bundles }));
    await page.getByRole('button', { name: 'Install pumps.dp' }).click();
    const installed = page.locator('.packages tbody tr', { hasText: 'pumps' });
    await installed.getByText('running').waitFor();
    await history.first().getByText('completed').waitFor();
    await checkAccessibility(page);

    await page.getByRole('link', { name: 'Bundles' }).click();
    const bundle = page.locator('.bundles tbody tr', { hasText: 'pump' });
    await bundle.getByRole('button', { name: 'Restart' }).click();
    await bundle.getByText('Restart requested').waitFor();
    await checkAccessibility(page);

    await page.getByRole('link', { name: 'Packages' }).click();
    await installed.getByRole('button', { name: 'Uninstall' }).click();
    await page.getByText('Uninstall pumps 1.0.0?').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('form.question').waitFor({ state: 'detached' });
    await installed.getByRole('button', { name: 'Uninstall' }).click();
    await page.getByRole('button', { name: 'Uninstall pumps', exact: true }).last().click();
    await page.getByText('No package is installed.').waitFor();
  },
);

test('the log of a bundle shows what it wrote as text alone, is refreshed and copied', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('#/software', { permissions: ['clipboard-read', 'clipboard-write'] });
  const main = `export function activate({ logger }) {
      logger.warn('<b>no line</b>\\u001b[31m', { unit: 7 });
      setInterval(() => logger.info('still there'), 1000);
    }`;
  const content = buildPackage({ symbolicName: 'talkers', bundles: [{ symbolicName: 'talker', main }] });
  const mimeType = 'application/octet-stream';
  await page.setInputFiles('input[type=file]', { name: 'talkers.dp', mimeType, buffer: content });
  await page.getByRole('button', { name: 'Install talkers.dp' }).click();
  await page.locator('.packages tbody tr', { hasText: 'talkers' }).getByText('running').waitFor();
  await page.getByRole('link', { name: 'Bundles' }).click();
  await page.getByRole('link', { name: 'Log talker' }).click();
  const lines = page.locator('.bundle-log pre');
  await lines.getByText(String.raw`<b>no line</b>\u001b[31m unit=7`).waitFor();
  await lines.getByText('gateway: ACTIVE').waitFor();
  await checkAccessibility(page);
  const count = () => lines.getByText('still there').count();
  const before = await count();
  for (;;) {
    await page.getByRole('button', { name: 'Refresh' }).click();
    if ((await count()) > before) break;
  }
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  const copied: string = await page.evaluate('navigator.clipboard.readText()');
  assert.ok(copied.includes(String.raw`<b>no line</b>\u001b[31m unit=7`), copied);
  await page.getByRole('button', { name: 'Close' }).click();
  await lines.waitFor({ state: 'detached' });
});

test(
  'a bundle that waits for its settings gets them from a form, and shows what it reports',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/software');
    const main = `export function activate({ settings, status }) {
      const show = ({ url, key }) => status({ state: 'OK', detail: url + ' ' + key, counters: { sent: 3 } });
      show(settings.current);
      settings.onChange(show);
    }`;
    const schema = {
      type: 'object',
      properties: { url: { type: 'string' }, key: { type: 'string', writeOnly: true } },
      required: ['url'],
    };
    const bundle = {
      symbolicName: 'sender',
      main,
      files: { 'settings.json': JSON.stringify(schema) },
      headers: { 'Penstock-Settings': 'settings.json', 'Penstock-Memory': '128' },
    };
    const content = buildPackage({ symbolicName: 'senders', bundles: [bundle] });
    const mimeType = 'application/octet-stream';
    await page.setInputFiles('input[type=file]', { name: 'senders.dp', mimeType, buffer: content });
    await page.getByRole('button', { name: 'Install senders.dp' }).click();
    await page.locator('.operations tbody tr').first().getByText('completed').waitFor();
    await page.getByRole('link', { name: 'Bundles' }).click();
    const row = page.locator('.bundles tbody tr', { hasText: 'sender' });
    await row.getByText('waits for its settings').waitFor();
    const german = await started.enter('#/software/bundles', { locale: 'de-DE' });
    await german
      .locator('.bundles tbody tr', { hasText: 'sender' })
      .getByText(
        /^wartet auf seine Einstellungen: url: fehlt; erwartet: ein Text; siehe „penstock bundle configure/,
      )
      .waitFor();
    await german.close();
    await row.getByText('Memory: 128').waitFor();
    await page.getByRole('link', { name: 'Settings sender' }).click();
    const change = async (url: string): Promise<void> => {
      await page.fill('#field-url', url);
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      await page.getByRole('button', { name: /^Apply/ }).click();
      await page
        .getByRole('button', { name: /^Keep|^Confirm/ })
        .first()
        .click();
    };
    await page.fill('#field-key', 'first');
    await change('http://a');
    await row.getByText('http://a first').waitFor();
    await row.getByText('Messages sent: 3').waitFor();
    await checkAccessibility(page);
  },
);

test(
  'a URL that is none is told at its field, and a refusal in the words of the gateway',
  CONSOLE,
  async (t) => {
    const started = await startConsole(t);
    const page = await started.enter('#/software');
    await page.fill('input[name=url]', 'ftp://example.test/a.dp');
    await page.keyboard.press('Enter');
    await page.getByText('is no URL that begins with https:').waitFor();
    assert.equal(await page.getAttribute('input[name=url]', 'aria-invalid'), 'true');
    await page.fill('input[name=url]', 'https://user:secret@127.0.0.1/a.dp');
    await page.keyboard.press('Enter');
    await page.locator('.install-url .notice.fault, .operations .state.fault').first().waitFor();
    await page.goto(`${page.url().split('#')[0] ?? ''}#/software/about`);
    await page.getByText(/^Penstock \d+\.\d+\.\d+/).waitFor();
    await checkAccessibility(page);
  },
);
