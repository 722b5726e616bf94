import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

import { programOf } from './tools.ts';
import type { Owner } from './temporary-directory.ts';

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
