import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Browser, CDPSession, Page } from 'playwright-core';

import { buildConsole, layConsole } from '../../packaging/build-console.ts';
import { startChromium } from '../support/chromium.ts';
import type { RunningGateway } from '../support/gateway.ts';
import type { Owner } from '../support/temporary-directory.ts';
import type { Bench } from './bench.ts';
import { startDevice } from './device.ts';
import { BUILT_PROGRAM, locateProgram } from './program.ts';
import type { Program, ProgramOwner } from './program.ts';
import { createChannels, createDriver, httpsPort, openSession, sequence, startPlant } from './plant.ts';

/** The identity that looks at the console; a benchmark has no secrets. */
const CHIEF = { name: 'chief', permissions: ['rest.admin'], password: 'correct-horse-9' };
/** How much slower than this machine the one is that shows the console. */
export const SLOWDOWN = 4;
/** Channels of the asset `hall`; each changes every second. */
export const HALL_CHANNELS = 10_000;
/** Channels of the asset `floor`, which is edited and not read. */
export const FLOOR_CHANNELS = 5_000;
/** Channels of the asset `room`; each changes every second. */
export const ROOM_CHANNELS = 100;

const WAIT_LIMIT_MS = 180_000;

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A gateway with the console. */
export interface ConsolePlant {
  readonly gateway: RunningGateway;
  readonly base: string;
  /** Head fields of a session. */
  readonly session: Readonly<Record<string, string>>;
}

/** Assets with the number of their channels. */
const ASSETS = { hall: HALL_CHANNELS, room: ROOM_CHANNELS };

/**
 * Starts a gateway with the console, in front of a device each of whose registers counts up every second.
 *
 * @param assets names of assets with the number of their channels
 */
export async function startConsolePlant(
  bench: Bench,
  assets: Readonly<Record<string, number>> = ASSETS,
): Promise<ConsolePlant> {
  const program = await layProgram(bench);
  const device = await startDevice(bench, { answerDelayMs: 0, silentUnits: [], stepMs: 1000 });
  const owner: ProgramOwner = { program, after: (cleanUp) => bench.after(cleanUp) };
  const gateway = await startPlant(owner, {
    identities: [CHIEF],
    drivers: [createDriver('line', device.port)],
    assets: Object.entries(assets).map(([pid, count]) => ({
      pid,
      driver: 'line',
      channels: createChannels(sequence(count)),
    })),
  });
  const session = await openSession(gateway, CHIEF);
  return { gateway, base: `https://127.0.0.1:${httpsPort(gateway)}/`, session };
}

/** Lays the program out with the console where it looks for it; the build itself stays as it is. */
async function layProgram(owner: Owner): Promise<Program> {
  await buildConsole({ isForced: false });
  // Below the sources, as the binary of serial lines is found in their modules.
  const root = await mkdtemp(path.join(ROOT, 'build/with-console-'));
  owner.after(() => rm(root, { recursive: true, force: true }));
  const built = path.join(root, BUILT_PROGRAM);
  await cp(path.join(ROOT, BUILT_PROGRAM), built, { recursive: true });
  await copyFile(path.join(ROOT, 'package.json'), path.join(root, 'package.json'));
  await layConsole(path.join(built, 'build/console'));
  return locateProgram(root, ROOT);
}

/** Starts the browser that shows the console. */
export function startBrowser(bench: Bench): Promise<Browser> {
  return startChromium(bench);
}

/** A page of a browser that has nothing in its cache, and its debugger. */
export interface BenchPage {
  readonly page: Page;
  readonly debug: CDPSession;
}

/** Opens an empty page in a slow browser with the session, before any file of the console was asked for. */
export async function openPage({ session }: ConsolePlant, browser: Browser): Promise<BenchPage> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
  });
  const [name = '', value = ''] = (session['Cookie'] ?? '').split('=', 2);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true, httpOnly: true }]);
  const page = await context.newPage();
  // A slowed page of a large asset takes its time on a busy machine.
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  return { page, debug };
}
