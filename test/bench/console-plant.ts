import { rm } from 'node:fs/promises';
import path from 'node:path';

import type { Browser, CDPSession, Page } from 'playwright-core';

import { buildConsole, layConsole } from '../../packaging/build-console.ts';
import { startChromium } from '../support/chromium.ts';
import type { RunningGateway } from '../support/gateway.ts';
import type { Bench } from './bench.ts';
import { startDevice } from './device.ts';
import { OWN_PROGRAM } from './program.ts';
import { createChannels, createDriver, httpsPort, openSession, sequence, startPlant } from './plant.ts';

/** The identity that looks at the console; a benchmark has no secrets. */
const CHIEF = { name: 'chief', permissions: ['rest.admin'], password: 'correct-horse-9' };
/** How much slower than this machine the one is that shows the console. */
export const SLOWDOWN = 4;
/** Channels of the asset `hall`; each changes every second. */
export const HALL_CHANNELS = 10_000;
/** Channels of the asset `room`; each changes every second. */
export const ROOM_CHANNELS = 100;

// Where the compiled program looks for the console.
const CONSOLE = path.resolve(OWN_PROGRAM.daemon.at(-1) ?? '', '../../build/console');

/** A gateway with the console. */
export interface ConsolePlant {
  readonly gateway: RunningGateway;
  readonly base: string;
  /** Head fields of a session. */
  readonly session: Readonly<Record<string, string>>;
}

/** Starts a gateway with the console, in front of a device each of whose registers counts up every second. */
export async function startConsolePlant(bench: Bench): Promise<ConsolePlant> {
  await buildConsole({ isForced: false });
  await rm(CONSOLE, { recursive: true, force: true });
  await layConsole(CONSOLE);
  const device = await startDevice(bench, { answerDelayMs: 0, silentUnits: [], isMoving: true });
  const gateway = await startPlant(bench, {
    identities: [CHIEF],
    drivers: [createDriver('line', device.port)],
    assets: [
      { pid: 'hall', driver: 'line', channels: createChannels(sequence(HALL_CHANNELS)) },
      { pid: 'room', driver: 'line', channels: createChannels(sequence(ROOM_CHANNELS)) },
    ],
  });
  const session = await openSession(gateway, CHIEF);
  return { gateway, base: `https://127.0.0.1:${httpsPort(gateway)}/`, session };
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
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  return { page, debug };
}
