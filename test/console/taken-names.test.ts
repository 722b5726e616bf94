import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, CHIEF, shareConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();

const WORDS = [
  {
    locale: 'en-GB',
    identity: 'already exists',
    item: 'line already exists.',
    asset: 'pump already exists: the plan replaces its channels.',
  },
  {
    locale: 'de-DE',
    identity: 'Eine Identität mit diesem Namen gibt es schon.',
    item: 'line gibt es schon.',
    asset: 'pump gibt es schon: Der Plan ersetzt die Kanäle.',
  },
] as const;

for (const { locale, identity, item, asset } of WORDS) {
  test(
    `a name that exists is marked at its field, and nothing typed is lost, in ${locale}`,
    CONSOLE,
    async (t) => {
      const { enter, base } = await openShared(t);
      const page = await enter('#/access/new', { locale });
      const name = page.locator('input[name=userName]');
      await name.fill(CHIEF.name);
      await page.fill('input[name=password]', 'turbine-password');
      await page.locator('form.identity button.main').click();
      await page.locator('#name-words').getByText(identity).waitFor();
      assert.equal(await name.getAttribute('aria-invalid'), 'true');
      assert.equal(await page.inputValue('input[name=password]'), 'turbine-password');
      await page.locator('input[name=userName]:focus').waitFor();
      await checkAccessibility(page);
      await name.fill('chief2');
      assert.equal(await name.getAttribute('aria-invalid'), 'false');

      await page.goto(`${base}/#/configuration/drivers`);
      await page.fill('input[name=pid]', 'line');
      await page.press('input[name=pid]', 'Enter');
      await page.locator('#pid-words').getByText(item).waitFor();
      await checkAccessibility(page);
      await page.locator('#pid-words a').click();
      await page.locator('.target-editor').waitFor();

      await page.goto(`${base}/#/devices/template/eastron-sdm630`);
      await page.fill('input[name=pid]', 'pump');
      await page.locator('#pid-words').getByText(asset).waitFor();
      await checkAccessibility(page);
    },
  );
}
