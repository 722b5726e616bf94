import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FINDING_SENTENCES } from '../../daemon/interface/finding-sentences.ts';
import { GERMAN_FINDINGS } from '../../daemon/console/text/gateway/findings.ts';
import { needs } from '../support/tests-that-need.ts';
import { signIn, startConsole } from './support/console-page.ts';
import { readText, replaceText } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const GERMAN = { locale: 'de-DE' } as const;

test(
  'every finding is shown in German, with its values and causes in the way of the language',
  CONSOLE,
  async (t) => {
    const { open } = await startConsole(t);
    const page = await open(GERMAN);
    const codes = Object.keys(FINDING_SENTENCES);
    const causes = [
      { code: 'MODBUS_NO_RESPONSE', message: 'unit 7 is silent', names: ['flow', 'level', 'speed'] },
      { code: 'BadSensorFailure', message: 'i=7: BadSensorFailure' },
      { message: 'free words' },
      { message: 'words of a bundle', german: 'Worte eines Bundles' },
    ];
    const parameters = Object.fromEntries(
      Object.values(FINDING_SENTENCES)
        .flatMap((sentence) => [...sentence.matchAll(/\{(\w+)&?\}/g)].map(([, name = '']) => name))
        .map((name) => [name, name.endsWith('s') ? [`${name}1`, `${name}2`] : 12_345]),
    );
    const checks = codes.map((code) => {
      const message = `English of ${code}`;
      return {
        check: 'bundle',
        name: code,
        state: 'GOOD',
        detail: message,
        finding: { code, message, parameters, causes },
      };
    });
    await page.route('**/services/status/v1', (route) => route.fulfill({ json: { checks } }));
    await signIn(page);
    await page.getByRole('button', { name: 'Prüfungen' }).click();
    await page.locator('.checks td', { hasText: 'plausibel' }).waitFor();
    const shown = await page.locator('.checks tbody tr td:nth-child(3)').allInnerTexts();
    const words =
      'flow, level und speed: Der Teilnehmer antwortet nicht (unit 7 is silent); Sensor gestört (i=7: BadSensorFailure); free words; Worte eines Bundles';
    const expected = Object.values(GERMAN_FINDINGS).map((sentence) =>
      sentence.replaceAll(/\{(\w+)\}/g, (_place, name: string) =>
        name === 'causes' ? words : name.endsWith('s') ? `${name}1 und ${name}2` : '12.345',
      ),
    );
    assert.deepEqual(shown, expected);
  },
);

test('a plan in German has what clients lose and what may be a mistake in German', CONSOLE, async (t) => {
  const { open, base } = await startConsole(t);
  const page = await open(GERMAN);
  await signIn(page);
  await page.goto(`${base}/#/configuration/document`);
  await readText(page);
  await replaceText(
    page,
    'drivers:\n  - {pid: a, type: modbus, host: same}\n  - {pid: b, type: modbus, host: same}\n',
  );
  await page.locator('.target-editor').getByRole('button', { name: 'Plan', exact: true }).click();
  const plan = page.locator('.plan');
  await plan.getByText('Asset pump', { exact: true }).waitFor();
  await plan
    .getByText(/^Die Verbindungen a und b nutzen alle .*same:502: Jede verbindet sich selbst/)
    .waitFor();
});

test('what is wrong in the files of a failed reload is in German', CONSOLE, async (t) => {
  const { gateway, enter } = await startConsole(t);
  await gateway.reload({
    http: { httpsPorts: [70_000] },
    log: { level: 'loud' },
    tls: { certificateFile: 'a' },
  });
  const page = await enter('', GERMAN);
  await page.getByRole('button', { name: 'Prüfungen' }).click();
  const check = page.locator('.checks td', { hasText: 'die bisherige Konfiguration bleibt aktiv' });
  assert.equal(
    await check.innerText(),
    'penstock.yaml:7: http.httpsPorts[0]: erwartet: ein Port (0: irgendein freier), ganz und von 0 bis 65535; penstock.yaml:14: tls.certificateFile: ist nur zusammen mit privateKeyFile erlaubt; penstock.yaml:17: log.level: erwartet: debug, info, warn oder error; die bisherige Konfiguration bleibt aktiv',
  );
});

test('the names of audit checks are in German', CONSOLE, async (t) => {
  const { open } = await startConsole(t);
  const page = await open(GERMAN);
  await signIn(page);
  await page.getByRole('button', { name: 'Prüfungen' }).click();
  for (const name of ['Audit Verkettung', 'Audit Speicherung']) {
    await page.locator('.checks td').getByText(name, { exact: true }).waitFor();
  }
});
