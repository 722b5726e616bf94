import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

import { programOf } from './tools.ts';
import type { Owner } from './temporary-directory.ts';

/** A page of a busy machine takes its time; a test that waits in vain ends at its own limit. */
const WAIT_LIMIT_MS = 180_000;

/** Starts a browser with its own profile, which reaches nothing beyond the loopback; it ends with the test. */
export async function startChromium(t: Owner): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: programOf('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
    ],
  });
  t.after(() => browser.close());
  return browser;
}

/** Opens a profile of the browser, whose pages wait longer for what happens than the library does. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  return context;
}
