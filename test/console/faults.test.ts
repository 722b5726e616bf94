import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GERMAN_FAULTS } from '../../daemon/console/text/gateway/faults.ts';
import { YAML_FAULTS } from '../../daemon/console/text/yaml-faults.ts';
import { readText } from '../../daemon/console/forms/read-text.ts';
import {
  listFailureSentences,
  listFaultSentences,
  listScanSentences,
  listTraceSentences,
} from '../support/tables/fault-sentences.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';
import { readText as readEditor, replaceText } from './support/edited-text.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONSOLE = needs('chromium', 'libmodbus');
const GERMAN = { locale: 'de-DE' } as const;

// Parts whose errors reach the console in documents.
const CODED = [
  'drivers/**/*.ts',
  'daemon/channel/{label,value-labels,write-terms,channel}.ts',
  'daemon/channel/unavailable/*.ts',
  'daemon/channel/scale/*.ts',
  'daemon/settings/{token,recorder,bundle,rest}-settings.ts',
  'daemon/server/rest/plant/tag-sheet.ts',
  'daemon/base/text/csv.ts',
  'daemon/plant/template/*.ts',
  'daemon/interface/plant/grant.ts',
  'daemon/security/identity/**/*.ts',
  'daemon/configuration/provision/*.ts',
];

const namesIn = (sentence: string): readonly string[] =>
  [...new Set([...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].toSorted();

test('every error in a document, text of a scan, failure and trace has a German sentence with the same values, and no other code has one', async () => {
  const rows = [
    ...(await listFaultSentences()),
    ...(await listScanSentences()),
    ...(await listFailureSentences()),
    ...(await listTraceSentences()),
  ];
  const codes = rows.map(([code]) => code);
  assert.ok(codes.length > 250);
  assert.deepEqual(
    codes.filter((code, index) => codes.indexOf(code) !== index),
    [],
    'declared twice',
  );
  assert.deepEqual(Object.keys(GERMAN_FAULTS).toSorted(), codes.toSorted());
  for (const [code, sentence] of rows)
    assert.deepEqual(namesIn(GERMAN_FAULTS[code] ?? ''), namesIn(sentence), code);
});

test('each rule of the drivers, channels, sections and tables of channels has a code', () => {
  const rule =
    /code: 'custom'|faults\.push\(\{[^}]*message|refine\([^\n]*'expected|message: [`']expected|\bpath\b[^;}]{0,120}message: [`'"]/;
  const files = CODED.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  assert.ok(files.length > 50);
  assert.deepEqual(
    files.filter((file) => rule.test(readFileSync(path.join(ROOT, file), 'utf8'))),
    [],
  );
});

test('a syntax error is a code that has words', () => {
  for (const [text, code] of [
    ['a: {b: 1\nc: 2', 'BAD_INDENT'],
    ['a: 1\na: 2', 'DUPLICATE_KEY'],
    ['a: "x', 'MISSING_CHAR'],
    ['a: b: c', 'BLOCK_AS_IMPLICIT_KEY'],
    ['a: *none', 'ALIASES'],
    ['\ta: 1', 'TAB_AS_INDENT'],
  ] as const) {
    const read = readText(text);
    assert.equal(read.kind === 'WRONG' ? read.code : undefined, code, text);
    assert.ok(code in YAML_FAULTS);
  }
});

test('the errors of a configuration are in German, at their line and in the list', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/configuration/document', GERMAN);
  await readEditor(page);
  await replaceText(
    page,
    [
      'drivers:',
      '  - {pid: a, type: modbus, host: same, port: 70000, hots: x, baudRate: 9600}',
      '  - {pid: a b, type: modbux}',
      '  - {pid: o, type: opcua, endpointUrl: "http://plc", password: x}',
      '  - {pid: s, type: serial, device: /dev/ttyS1, framing: {type: delimiter, delimiter: "hex:0"}}',
      '  - {pid: t, type: modbus, transport: tcp-tls, host: plc, certificateAuthoritiesFile: /a.crt, certificateFile: /c.crt}',
      'assets:',
      '  - {pid: x, driver: lien, channels: []}',
      '  - {pid: y, driver: a, channels: [{name: t, type: READ, valueType: INT}]}',
      '  - {pid: z, driver: a, template: sunspec-meter-204}',
      '  - {pid: v, driver: a, template: sunspec-meter-203, parameters: {bese: 1, unitId: 300}}',
      'rest: 5',
      '',
    ].join('\n'),
  );
  await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('.notice.fault li').first().waitFor();
  const shown = await page.locator('.notice.fault li').allInnerTexts();
  assert.deepEqual(
    shown.map((line) => line.replace(/\s*Zur Zeile$/, '')),
    [
      'z: template: Die Vorlage „sunspec-meter-204“ gibt es nicht; meinten Sie „sunspec-meter-203“?',
      'v: parameters.bese: ist kein Parameter der Vorlage; erwartet: unitId oder modelAt; siehe Vorlage „sunspec-meter-203“',
      'v: parameters.unitId: erwartet: eine ganze Zahl, mindestens 0, höchstens 255; siehe Vorlage „sunspec-meter-203“',
      'rest: erwartet: ein Objekt mit Schlüsseln, gefunden: eine Zahl',
      'a: port: höchstens 65535 erlaubt',
      'a: hots: ist kein bekannter Schlüssel; meinten Sie „host“?',
      'a: baudRate: gehört zu transport rtu oder ascii, aber transport ist hier tcp; entfernen Sie diesen Schlüssel, oder ändern Sie transport',
      'a b: pid: erwartet: ein Name ohne Leerraum und ohne die Zeichen # / + ,',
      'o: endpointUrl: erwartet: eine URL mit opc.tcp, zum Beispiel opc.tcp://192.0.2.7:4840',
      'o: userName: fehlt; zu einem Passwort gehört ein userName',
      's: framing.delimiter: Nach „hex:“ müssen Paare hexadezimaler Ziffern folgen',
      't: privateKeyFile: fehlt; certificateFile und privateKeyFile gehören zusammen',
      'x: driver: Die Verbindung „lien“ gibt es nicht',
      'y: channels[0].valueType: erwartet: BOOLEAN, BYTE_ARRAY, DOUBLE, FLOAT, INTEGER, LONG oder STRING',
      'y: channels[0].address: fehlt; erwartet: ein Objekt mit Schlüsseln',
    ],
  );
});

test('a syntax error is in German', CONSOLE, async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/configuration/document', GERMAN);
  await readEditor(page);
  await replaceText(page, 'drivers: {a: 1\nrest: 5\n');
  await page
    .locator('.notice.attention')
    .getByText('Zeile 2: die Einrückung passt nicht, oder eine schließende Klammer fehlt')
    .waitFor();
});
