import { test } from 'node:test';

import { startFirefox } from '../support/firefox.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, startPlant } from './support/console-page.ts';

const text = (selector: string, words: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((e) => e.textContent.includes(${JSON.stringify(words)}))`;

test(
  'in Firefox one sees states and values, writes one that arrives, and finds it in the audit',
  needs('firefox', 'libmodbus'),
  async (t) => {
    const { base } = await startPlant(t, {});
    const page = await startFirefox(t);
    await page.goTo(base);
    await page.click('input[name=username]');
    await page.type(CHIEF.name);
    await page.click('input[name=password]');
    await page.type(CHIEF.password);
    await page.click('.sign-in button[type=submit]');

    // Is all well?
    await page.waitFor(text('.overview-connections', 'line'));

    // What is it doing?
    await page.goTo(`${base}/#/trends?c=pump/level`);
    await page.waitFor(`document.querySelector('main canvas') !== null`);
    await page.goTo(`${base}/#/assets/pump`);
    await page.waitFor(text('.grid-row', 'setpoint'));

    // Set a value, and know that it arrived.
    await page.evaluate(
      `[...document.querySelectorAll('.grid-row')].find((e) => e.textContent.includes('setpoint')).querySelector('.cell.action button').click()`,
    );
    await page.click('form.write input[name=value]');
    await page.type('\uE009a');
    await page.type('61');
    await page.click('form.write button[type=submit]');
    await page.click('form.write button.main');
    await page.waitFor(text('form.write', 'VERIFIED'));

    // What changed?
    await page.goTo(`${base}/#/record/audit`);
    await page.waitFor(text('.audit-table td', 'Write pump'));
  },
);
