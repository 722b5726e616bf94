import { test } from 'node:test';

import { startFirefox } from '../support/firefox.ts';
import type { FirefoxPage } from '../support/firefox.ts';
import { startPymodbusServer } from '../support/pymodbus-server.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { CHIEF, startPlant } from './support/console-page.ts';

const text = (selector: string, words: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((e) => e.textContent.includes(${JSON.stringify(words)}))`;

// The text editor has a document of its own.
const EDITED = `(document.querySelector('.text-editor > div')?.shadowRoot?.textContent ?? '')`;

/** Opens the console in Firefox and signs in. */
async function enter(t: Owner, base: string): Promise<FirefoxPage> {
  const page = await startFirefox(t);
  await page.goTo(base);
  await page.click('input[name=username]');
  await page.type(CHIEF.name);
  await page.click('input[name=password]');
  await page.type(CHIEF.password);
  await page.click('.sign-in button[type=submit]');
  await page.waitFor(text('.rail', 'Overview'));
  return page;
}

/** Plans, applies and confirms what is on the page. */
async function keep(page: FirefoxPage): Promise<void> {
  await page.click('section.plan button.main', 'Apply');
  await page.click('.pending-panel button', 'Confirm');
  await page.waitFor(text('main', 'Confirmed.'));
}

test(
  'in Firefox one sees states and values, writes one that arrives, and finds it in the audit',
  needs('firefox', 'libmodbus'),
  async (t) => {
    const { base } = await startPlant(t, {});
    const page = await enter(t, base);

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

test(
  'in Firefox a device comes from its address to live values',
  needs('firefox', 'libmodbus', 'pymodbus'),
  async (t) => {
    const device = await startPymodbusServer();
    t.after(() => device.close());
    const { base } = await startPlant(t, { drivers: [], assets: [] });
    const page = await enter(t, base);
    await page.click('.rail a', 'Devices');
    await page.click('main a', 'Add device');
    await page.click('#field-host');
    await page.type('127.0.0.1');
    await page.click('#field-port');
    await page.type(String(device.port));
    await page.click('main button', 'Scan');
    await page.waitFor(text('.offer-tree .folder', 'COILS'));
    await page.click('.offer-tree label', 'HOLDING_REGISTERS');
    await page.waitFor(`document.querySelector('.channel-grid [data-row="3"]') !== null`);
    await page.click('main button', 'Plan');
    await keep(page);
    await page.click('main a', 'Open test-server');
    await page.waitFor(text('.grid-row', 'good'));
    await page.waitFor(
      `[...document.querySelectorAll('.grid-row')].some((e) => /^holding-7\\s*7/.test(e.textContent))`,
    );
  },
);

test(
  'in Firefox a setting is changed, and its snapshot restored',
  needs('firefox', 'libmodbus'),
  async (t) => {
    const { base } = await startPlant(t, {});
    const page = await enter(t, base);
    await page.goTo(`${base}/#/configuration/drivers/line`);
    await page.waitFor(`${EDITED}.includes('pid: line')`);
    await page.click('.text-editor > div');
    await page.type('\uE009\uE010');
    await page.type('responseTimeoutMs: 3000');
    await page.click('main button', 'Plan');
    await keep(page);
    await page.click('.tree a', 'Snapshots');
    await page.click('.chosen a', 'Snapshot 1');
    await page.waitFor(text('.differences', 'responseTimeoutMs'));
    await page.click('main button', 'Plan rollback');
    await keep(page);
    await page.goTo(`${base}/#/configuration/drivers/line`);
    await page.waitFor(`${EDITED}.includes('pid: line') && !${EDITED}.includes('responseTimeoutMs')`);
  },
);
