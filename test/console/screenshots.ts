/**
 * Takes the pictures that the documentation shows of the console, with the simulated plant of the demo.
 *
 * Usage: `npm run screenshots [-- FOLDER [NAME ...]]`; the folder is `docs/images` unless given. It takes six minutes, because a
 * trend shows what was recorded in five.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { startChromium } from '../support/chromium.ts';
import { SessionClient } from '../support/https-client.ts';
import { addLines, findEditor } from './support/edited-text.ts';

/** One picture: where, as whom the browser looks, and what is done there first. */
interface Picture {
  readonly name: string;
  /** Behind the address of the gateway. */
  readonly place: string;
  readonly options?: BrowserContextOptions;
  readonly prepare?: (page: Page) => Promise<void>;
}

interface Demo {
  readonly base: string;
  readonly name: string;
  readonly password: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const WIDE = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = { viewport: { width: 360, height: 740 } } as const;
// Curves and rates need some seconds before they show something.
const SETTLED_MS = 12_000;
// As long as the range of a trend, after the start of this program.
const RECORDED_MS = 330_000;

const settle = (page: Page): Promise<void> => page.waitForTimeout(SETTLED_MS);

const PICTURES: readonly Picture[] = [
  { name: 'line', place: '#/devices/line/plantTcp', prepare: measureLine },
  { name: 'plan', place: '#/configuration/drivers/plantRtu', prepare: planChange },
  { name: 'editor', place: '#/configuration/drivers/plantRtu', prepare: suggestKey },
  { name: 'phone', place: '#/assets/boiler', options: PHONE, prepare: settle },
  // The trend has the step of the setpoint in its middle.
  { name: 'write', place: '#/assets/boiler', prepare: writeSetpoint },
  { name: 'trends', place: '#/trends', prepare: drawCurves },
  // Last, when devices have been asked.
  { name: 'overview', place: '#/overview', prepare: settle },
];

async function writeSetpoint(page: Page): Promise<void> {
  await waitUntil(page, RECORDED_MS / 2);
  await page.getByRole('button', { name: /^Writable/ }).click();
  await page
    .locator('.grid-row:not(.head)', { hasText: 'setpoint' })
    .getByRole('button', { name: 'Write' })
    .click();
  await page.locator('form.write input[name=value]').fill('62.5');
  await page.locator('form.write button[type=submit]').click();
  await page.getByText('Nothing is sent yet.').waitFor();
  await page.getByRole('button', { name: /^Write 62\.5/ }).click();
  await page
    .locator('form.write')
    .getByText(/VERIFIED|ACKNOWLEDGED/)
    .waitFor();
  await page.locator('.grid-row:not(.head) .cell.value', { hasText: '62.5' }).waitFor();
}

async function drawCurves(page: Page): Promise<void> {
  for (const channel of ['flowTemperature', 'returnTemperature', 'setpoint']) {
    const search = page.locator('.channel-search input');
    await search.fill(`boiler ${channel}`);
    await page.locator('.channel-search [role=option]').first().waitFor();
    await search.press('Enter');
    await search.blur();
  }
  await page.getByText('All curves are recorded.').waitFor();
  await waitUntil(page, RECORDED_MS);
}

/** Waits for a time after the start of this program, and until the page has settled. */
async function waitUntil(page: Page, ms: number): Promise<void> {
  await page.waitForTimeout(Math.max(SETTLED_MS, ms - performance.now()));
}

/** Records the channels of the trend from the beginning, as an operator has done long before. */
async function record({ base, name, password }: Demo): Promise<void> {
  const client = new SessionClient({ port: Number(new URL(base).port) });
  await client.login(name, password);
  const body = { intervalMs: 1000, assets: [{ asset: 'boiler' }] };
  const place = '/services/configuration/v1/recorders/boiler';
  const { status, text } = await client.send('PUT', place, { body, headers: { 'If-Match': '*' } });
  if (status >= 400) throw new Error(text);
}

async function measureLine(page: Page): Promise<void> {
  await page.getByRole('button', { name: /once and measure/ }).click();
  await page.getByRole('meter').waitFor();
}

async function suggestKey(page: Page): Promise<void> {
  await findEditor(page).press('Control+End');
  await page.keyboard.type('delay');
  await page.locator('.cm-completionInfo').waitFor();
}

async function planChange(page: Page): Promise<void> {
  await addLines(page, 'responseTimeoutMs: 3000');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.locator('section.plan').waitFor();
}

/** Waits for what the demo says of itself. */
async function readDemo(output: Readable): Promise<Demo> {
  let text = '';
  for await (const part of output.setEncoding('utf8')) {
    text += String(part);
    const find = (label: string): string | undefined => new RegExp(`${label} +(\\S+)`).exec(text)?.[1];
    const [base, name, password] = ['Console', 'Sign in as', 'Password'].map(find);
    if (base !== undefined && name !== undefined && password !== undefined) return { base, name, password };
  }
  throw new Error(`the demo did not start: ${text}`);
}

async function take(browser: Browser, demo: Demo, folder: string, picture: Picture): Promise<void> {
  const { name, place, options, prepare } = picture;
  const context = await browser.newContext({
    ...WIDE,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  await page.goto(demo.base);
  await page.fill('input[name=username]', demo.name);
  await page.fill('input[name=password]', demo.password);
  await page.click('.sign-in button[type=submit]');
  await page.waitForSelector('.shell');
  await page.goto(`${demo.base}/${place}`);
  await page.waitForLoadState('load');
  await page.locator('h1').first().waitFor();
  // Nothing is shown before it is known.
  await page.waitForTimeout(1500);
  await prepare?.(page);
  await page.screenshot({ path: path.join(folder, `console-${name}.png`) });
  process.stdout.write(`console-${name}.png\n`);
  await context.close();
}

const [, , place = path.join(ROOT, 'docs/images'), ...names] = process.argv;
const folder = path.resolve(place);
const wanted = PICTURES.filter(({ name }) => names.length === 0 || names.includes(name));
await mkdir(folder, { recursive: true });
const cleanUps: (() => unknown)[] = [];
const program = path.join(ROOT, 'daemon/cli/main.ts');
const child = spawn(process.execPath, ['--disable-sigusr1', program, 'demo'], {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const demo = await readDemo(child.stdout);
  await record(demo);
  const browser = await startChromium({ after: (cleanUp) => void cleanUps.push(cleanUp) });
  for (const picture of wanted) await take(browser, demo, folder, picture);
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  child.kill('SIGINT');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
