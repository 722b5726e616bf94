import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import type { TestContext } from 'node:test';

import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';

import { buildConsole } from '../../../packaging/build-console.ts';
import { openContext, startChromium } from '../../support/chromium.ts';
import { startGateway } from '../../support/gateway.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import type { Owner } from '../../support/temporary-directory.ts';

/** The administrator of a gateway under test; a test has no secrets. */
export const CHIEF = { name: 'chief', password: 'console-test-password' } as const;

const UNIT = { unitId: 1, table: 'HOLDING_REGISTERS' } as const;
const CHANNELS = [
  {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    unit: 'degC',
    address: { ...UNIT, offset: 7, dataType: 'UINT16' },
    write: { minimum: 0, maximum: 90, verify: {} },
  },
  {
    name: 'level',
    type: 'READ',
    valueType: 'INTEGER',
    unit: 'mm',
    address: { ...UNIT, offset: 8, dataType: 'UINT16' },
  },
  // Unsigned registers 0 to 3 as one number: more digits than a double keeps.
  { name: 'count', type: 'READ', valueType: 'LONG', address: { ...UNIT, offset: 200, dataType: 'INT64' } },
  // The device does not have it.
  {
    name: 'missing',
    type: 'READ',
    valueType: 'INTEGER',
    address: { ...UNIT, offset: 60_005, dataType: 'UINT16' },
  },
];

/** The asset with which `startConsole` starts, without the channel that fails. */
export const WELL_PUMP = {
  pid: 'pump',
  driver: 'line',
  channels: CHANNELS.filter(({ name }) => name !== 'missing'),
} as const;

/** A gateway with one device. */
interface Plant {
  readonly gateway: RunningGateway;
  readonly device: ModbusProcess;
  /** Address of the gateway over TLS. */
  readonly base: string;
  /** Ends the gateway as a power cut does. */
  readonly kill: () => Promise<void>;
  /** Starts it again with the same data on the same port. */
  readonly startAgain: () => Promise<void>;
}

/** A gateway with one device, and a browser. */
export interface ConsoleUnderTest extends Plant {
  /** Opens the console with cookies and a storage of its own, and fails the test for what the browser complains of. */
  readonly open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Opens it, and signs in. */
  readonly enter: (place?: string, options?: BrowserContextOptions) => Promise<Page>;
}

// What the tests of a file share ends with the last of them.
const cleanUps: (() => void | Promise<void>)[] = [];
const FILE: Owner = { after: (cleanUp) => void cleanUps.push(cleanUp) };
after(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

let sharedBrowser: Promise<Browser> | undefined;

// Requests of each page that the gateway has not answered yet.
const outstanding = new WeakMap<Page, Set<Request>>();

/** Starts a gateway with an asset `pump` on a Modbus server of another make, and a browser for its console. */
export async function startConsole(
  t: TestContext,
  provision: Readonly<Record<string, unknown>> = {},
): Promise<ConsoleUnderTest> {
  return browse(t, await startPlant(t, provision));
}

/**
 * Shares one gateway between the tests of a file that leave its configuration, its identities and its device as they are: it
 * starts as `startConsole` does, with the first test that asks for it.
 */
export function shareConsole(): (t: TestContext) => Promise<ConsoleUnderTest> {
  let plant: Promise<Plant> | undefined;
  return async (t) => {
    plant ??= startPlant(FILE, {});
    return browse(t, await plant);
  };
}

/** Starts a gateway with an asset `pump` on a Modbus server of another make, for a browser that the test brings. */
export async function startPlant(owner: Owner, provision: Readonly<Record<string, unknown>>): Promise<Plant> {
  await buildConsole({ isForced: false });
  const device = await startLibmodbusServer();
  owner.after(() => device.close());
  const configOn = (port: number) => ({
    http: { httpsPorts: [port] },
    provision: {
      identities: [{ ...CHIEF, permissions: ['rest.admin'] }],
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
      assets: [{ pid: 'pump', driver: 'line', channels: CHANNELS }],
      ...provision,
    },
  });
  const gateway = await startGateway(owner, { config: configOn(0) });
  const [port = 0] = gateway.httpsPorts;

  async function kill(): Promise<void> {
    const ended = once(gateway.process, 'exit');
    gateway.process.kill('SIGKILL');
    await ended;
  }

  async function startAgain(): Promise<void> {
    await startGateway(owner, { directory: gateway.directory, config: configOn(port) });
  }

  return { gateway, device, base: `https://127.0.0.1:${port}`, kill, startAgain };
}

async function browse(t: TestContext, plant: Plant): Promise<ConsoleUnderTest> {
  const { base } = plant;
  sharedBrowser ??= startChromium(FILE);
  const browser = await sharedBrowser;

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await openContext(browser, { locale: 'en-GB', ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
    });
    watchRequests(page);
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !request.url().startsWith('blob:'))
        complaints.push(request.url());
    });
    t.after(async () => {
      await context.close();
      assert.deepEqual(complaints, []);
    });
    await page.goto(base);
    return page;
  }

  async function enter(place = '', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await open(options);
    await signIn(page);
    if (place !== '') await page.goto(`${base}/${place}`);
    return page;
  }

  return { ...plant, open, enter };
}

/** Signs in by password on the form that the page shows. */
export async function signIn(
  page: Page,
  { name, password }: { readonly name: string; readonly password: string } = CHIEF,
): Promise<void> {
  await page.fill('input[name=username]', name);
  await page.fill('input[name=password]', password);
  await page.click('.sign-in button[type=submit]');
  await page.waitForSelector('.shell');
}

/** Opens the user menu in the strip. */
export async function openUserMenu(page: Page): Promise<Locator> {
  await page.locator('.strip .user-button').click();
  return page.locator('.user-menu');
}

/** Signs out in the user menu. */
export async function signOut(page: Page): Promise<void> {
  await (await openUserMenu(page)).getByRole('button', { name: 'Sign out' }).click();
}

function watchRequests(page: Page): void {
  const requests = new Set<Request>();
  outstanding.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('response', (response) => requests.delete(response.request()));
  page.on('requestfailed', (request) => requests.delete(request));
}

/**
 * Holds back the requests of a page, and waits until the gateway has answered those that it has sent. Between a logout and a
 * login elsewhere, a request of the page would find no session and show the sign-in panel.
 *
 * @returns a function that sends the requests held back and ends the hold
 */
export async function holdRequests(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<undefined>();
  const held = new Set<Request>();
  await page.route('**/services/**', async (route) => {
    held.add(route.request());
    await released.promise;
    await route.continue();
  });
  const sent = [...(outstanding.get(page) ?? [])].filter((request) => !held.has(request));
  await Promise.all(sent.map((request) => request.response()));
  return () => released.resolve(undefined);
}

/** Ends the session of a page as another tab of its browser does. */
export async function signOutElsewhere(page: Page, base: string): Promise<void> {
  const tab = page.context().request;
  const token = await tab.get(`${base}/services/session/v1/xsrfToken`);
  const { xsrfToken } = (await token.json()) as { readonly xsrfToken: string };
  const headers = { 'X-XSRF-Token': xsrfToken };
  const logout = await tab.post(`${base}/services/session/v1/logout`, { headers });
  assert.equal(logout.ok(), true);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

// WCAG 2.2 at level AA, and what else axe recommends.
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Lists what a page lacks of WCAG 2.2 at level AA and of best practice, as far as a program can tell, in light and in dark. */
export async function listBarriers(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`);
    for (const { id, nodes } of violations) {
      found.push(
        ...nodes.map(({ html, failureSummary = '' }) => `${colorScheme} ${id}: ${html} ${failureSummary}`),
      );
    }
  }
  return found;
}

/** Asserts that a page has no barrier that a program can find. */
export async function checkAccessibility(page: Page): Promise<void> {
  assert.deepEqual(await listBarriers(page), []);
}
