import type { Page } from 'playwright-core';

import { PAGES } from '../../../daemon/console/views/pages.ts';
import { CHIEF } from './console-page.ts';
import { addLines } from './edited-text.ts';

/** A page of the console in one of its states. */
interface Place {
  readonly link: string;
  /** What is there when the page is complete. */
  readonly shows: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

// In the page, at once: a menu that vanishes after it was found, as that of a notice does, would be waited for in vain.
const openMenus = (page: Page): Promise<void> =>
  page.evaluate(`for (let closed; closed !== 0;) {
    const found = [...document.querySelectorAll('main details:not([open]) > summary')].filter((each) => each.checkVisibility());
    closed = found.length;
    for (const each of found) each.click();
  }`);

const PLACES: readonly Place[] = [
  {
    link: 'overview',
    shows: '.overview-connections',
    prepare: (page) => page.locator('.summary button').click(),
  },
  { link: 'assets', shows: '.page table' },
  { link: 'assets/pump', shows: '.grid-row .state.fault' },
  { link: 'assets/pump', shows: '.grid-row .state.fault', prepare: checkSetpoint },
  // A channel of it fails.
  { link: 'overview', shows: '.attention-list' },
  { link: 'trends', shows: '.channel-search' },
  {
    link: 'trends?c=pump/level,pump/count',
    shows: '.uplot canvas',
    // The number of 17 digits.
    prepare: (page) => page.locator('.curve-list td.number', { hasText: '171' }).waitFor(),
  },
  { link: 'trends?c=pump/level,pump/count,pump/nothing&view=table', shows: '.wide-table td' },
  { link: 'devices', shows: '.connections td' },
  { link: 'devices/channels/pump', shows: '.channel-grid input' },
  { link: 'devices/add', shows: '#field-host', prepare: openMenus },
  { link: 'devices/template', shows: '.templates a' },
  { link: 'devices/browse', shows: 'h1' },
  { link: 'devices/sheet/pump', shows: 'textarea' },
  { link: 'devices/line/line', shows: '.driver-choice', prepare: openMenus },
  { link: 'configuration', shows: '.tree a' },
  { link: 'configuration/drivers', shows: 'input[name=pid]' },
  { link: 'configuration/drivers/line', shows: '.cm-content', prepare: planTimeout },
  { link: 'configuration/snapshots', shows: '.chosen table' },
  { link: 'access', shows: '.certificate' },
  { link: 'access/new', shows: 'form.identity' },
  { link: `access/identities/${CHIEF.name}`, shows: 'form.identity' },
  { link: 'software', shows: '.drop' },
  { link: 'software/bundles', shows: 'h1' },
  { link: 'software/about', shows: '.about' },
  { link: 'record', shows: '.record-table td' },
  { link: 'record/audit', shows: '.audit-table td' },
  { link: 'record/log', shows: '.log-table td' },
  { link: 'record/trace', shows: '.trace-line' },
  { link: 'no-such-page', shows: '.notice' },
  { link: 'configuration/drivers/line', shows: '.cm-content', prepare: applyTimeout },
  // With the countdown on every page.
  { link: 'overview', shows: '.strip .pending' },
];

async function checkSetpoint(page: Page): Promise<void> {
  await page
    .locator('.grid-row:not(.head)', { hasText: 'setpoint' })
    .locator('.cell.action button')
    .first()
    .click();
  await page.locator('form.write input[name=value]').fill('61');
  await page.locator('form.write button[type=submit]').click();
  await page.locator('form.write button.main').waitFor();
}

async function planTimeout(page: Page): Promise<void> {
  await addLines(page, 'responseTimeoutMs: 3000');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').waitFor();
}

async function applyTimeout(page: Page): Promise<void> {
  await planTimeout(page);
  await page.locator('section.plan button.main').click();
  await page.locator('.pending-panel .differences').waitFor();
}

/** Pages of which no state is named are looked at as they open. */
const OTHERS = PAGES.filter(({ name }) => !PLACES.some(({ link }) => link.split(/[/?]/)[0] === name)).map(
  ({ name }): Place => ({ link: name, shows: 'main h1' }),
);

/** Goes through the console, in states in which it shows much, and looks at each; what is in force at the end waits to be kept. */
export async function visitPlaces(
  page: Page,
  base: string,
  look: (link: string) => Promise<void>,
): Promise<void> {
  for (const { link, shows, prepare } of [...OTHERS, ...PLACES]) {
    await page.goto(`${base}/#/${link}`);
    // As it is when it has just been opened.
    await page.reload();
    await page.locator(shows).first().waitFor();
    await prepare?.(page);
    await look(link);
    // A draft changes what the next place shows.
    await page.evaluate('sessionStorage.clear()');
  }
}
