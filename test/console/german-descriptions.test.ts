import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GERMAN_DESCRIPTIONS } from '../../daemon/console/text/gateway/german-descriptions.ts';
import { needs } from '../support/tests-that-need.ts';
import { shareConsole } from './support/console-page.ts';
import { findEditor, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const GERMAN = { locale: 'de-DE' } as const;
const openShared = shareConsole();
const words = new Set(Object.values(GERMAN_DESCRIPTIONS));

test('the form of a device describes every setting of every driver in German', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/devices/add', GERMAN);
  await page.locator('#field-host-words').getByText('Name oder IP-Adresse des Geräts').waitFor();
  const kinds = await page.locator('select[name=kind] option').allTextContents();
  assert.ok(kinds.length > 6);
  for (const kind of kinds) {
    await page.selectOption('select[name=kind]', { label: kind });
    const shown = await page.locator('.schema-field > p').allTextContents();
    assert.ok(shown.length > 3, kind);
    assert.deepEqual(
      shown.filter((text) => text !== '' && !words.has(text)),
      [],
      kind,
    );
  }
});

test(
  'the table of channels and the form of a channel describe their fields in German',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter('#/devices/channels/pump', GERMAN);
    const heading = page.getByRole('columnheader', { name: 'Registertyp', exact: true });
    await heading.waitFor();
    await page
      .locator('[role=columnheader][title="Registertyp des Modbus-Datenmodells oder FILE_RECORDS"]')
      .waitFor();
    const titles = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('[role=columnheader][title]')].map((each) => each.title)`,
    );
    assert.ok(titles.length > 5);
    assert.deepEqual(
      titles.filter((title) => title !== '' && !words.has(title)),
      [],
    );
    await page.getByRole('button', { name: 'Details von level' }).click();
    const described = await page.locator('.channel-fields p').allTextContents();
    assert.ok(described.length > 20);
    assert.deepEqual(
      described.filter((text) => text !== '' && !words.has(text)),
      [],
    );
  },
);

test('the text editor describes keys and suggestions in German', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/configuration/drivers/line', GERMAN);
  await findEditor(page).press('Control+End');
  await page.keyboard.type('response');
  const help = page.locator('.cm-completionInfo');
  await help.getByText('ganze Zahl, 1 bis 600000, Standard 1000').waitFor();
  await help.getByText('Längste Wartezeit auf eine Antwort, in Millisekunden').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('TimeoutMs: 3000');
  await waitForLine(page, 'responseTimeoutMs: 3000');
  await page.locator('.key-line').getByText('Längste Wartezeit auf eine Antwort').waitFor();
  await page.locator('.cm-line', { hasText: 'host:' }).getByText('host').hover();
  await page.locator('.cm-tooltip-hover').getByText('Name oder IP-Adresse des Geräts').waitFor();
});

test('the search finds a setting by its German description', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('', GERMAN);
  await page.keyboard.press('Control+k');
  await page.locator('dialog.search input:focus').waitFor();
  await page.keyboard.type('Kleinbuchstaben');
  await page
    .locator('dialog.search [role=option]', { hasText: 'passwordStrength.requireBothCases' })
    .waitFor();
});

test('device templates have German titles, by which they are found', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter('#/devices/template', GERMAN);
  await page.getByRole('link', { name: 'Dreiphasiger Energiezähler EM340', exact: true }).waitFor();
  await page.fill('input[name=filter]', 'wärmepumpe');
  await page.locator('.templates a', { hasText: 'EM340' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Wärmepumpe Lambda Eureka Luft', exact: true }).click();
  await page.getByRole('heading', { name: 'Wärmepumpe Lambda Eureka Luft' }).waitFor();
  await page.getByText('Lambda Baureihe EU-L').waitFor();
  await page.getByText('Quelle: Lambda: Modbus-Beschreibung und Protokoll, Ausgabe Februar 2025').waitFor();
});

test(
  'settings of connections and their choices have names in words, in both languages',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    for (const [options, host, mode] of [
      [{}, 'Host host', 'Sign and encrypt (SIGN_AND_ENCRYPT)'],
      [GERMAN, 'Host host', 'Signieren und verschlüsseln (SIGN_AND_ENCRYPT)'],
    ] as const) {
      const page = await enter('#/devices/add', options);
      await page.getByLabel(host, { exact: true }).waitFor();
      const kinds = await page.locator('select[name=kind] option').allTextContents();
      for (const kind of kinds) {
        await page.selectOption('select[name=kind]', { label: kind });
        assert.match(kind, /^[A-Z]/);
        const labels = await page.locator('.schema-field > label').allTextContents();
        assert.deepEqual(
          labels.filter((label) => !/^\p{Lu}.* [a-z]\w*$/u.test(label)),
          [],
        );
        const choices = await page.locator('.schema-field option').allTextContents();
        assert.deepEqual(
          choices.filter((choice) => /^\(?[A-Z]+_/.test(choice)),
          [],
        );
      }
      await page.selectOption('select[name=kind]', 'opcua');
      const modes = await page.locator('#field-securityMode option').allTextContents();
      assert.ok(modes.includes(mode), modes.join());
    }
  },
);

test('a parameter of a template has a name in words, in both languages', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  for (const [options, names] of [
    [{}, ['Unit ID unitId', 'PV strings strings']],
    [GERMAN, ['Unit-ID unitId', 'PV-Strings strings']],
  ] as const) {
    const page = await enter('#/devices/template/huawei-sun2000', options);
    for (const name of names) await page.getByLabel(name, { exact: true }).waitFor();
  }
});
