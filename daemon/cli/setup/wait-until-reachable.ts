import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

import { readOwnIdentity } from '../../interface/security/session.ts';
import { CommandError } from '../command-error.ts';
import { createRestClient } from '../client/rest-client.ts';
import { fetchPortCertificate, toLocalAddress } from '../certificate/port-certificate.ts';
import { listClientFiles } from './client-files.ts';
import type { CurrentSetup } from './current-setup.ts';

// The daemon checks its files every second and loads them after two equal checks.
const MAXIMUM_WAIT_MS = 20_000;
const LOOK_INTERVAL_MS = 250;

/**
 * Waits until the gateway presents the certificate on disk and accepts each client.
 *
 * @throws {CommandError} `NOT_IN_FORCE` with the port and the reason
 */
export async function waitUntilReachable(current: CurrentSetup, signal: AbortSignal): Promise<void> {
  const { httpsPorts, httpsClientAuthPorts, host } = current.settings.http;
  const { certificateFile } = current.paths.server;
  const expected = new X509Certificate(await readFile(certificateFile)).fingerprint256;
  const address = toLocalAddress(host);
  for (const port of [...httpsPorts, ...httpsClientAuthPorts]) {
    await waitFor(signal, async () => {
      const shown = await fetchPortCertificate(address, port);
      if ('failure' in shown) return `port ${port} is closed: ${shown.failure}`;
      const isExpected = shown.fingerprint === expected;
      return isExpected ? undefined : `port ${port} presents another certificate than ${certificateFile}`;
    });
  }
  const [port] = httpsClientAuthPorts;
  if (port === undefined) return;
  for (const [name, { folder, files }] of current.clients) {
    if (files === 'KEY_AWAY') continue;
    await waitFor(signal, () => tryClient(new URL(`https://${bracket(address)}:${port}`), folder, name));
  }
}

/** Repeats a check until it succeeds or times out. */
async function waitFor(signal: AbortSignal, look: () => Promise<string | undefined>): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const wrong = await look();
    if (wrong === undefined) return;
    if (signal.aborted || performance.now() - startMs > MAXIMUM_WAIT_MS) {
      const detail = `all steps are complete, but ${wrong}; see "penstock doctor" and "journalctl -u penstock -n 50"`;
      throw new CommandError({ code: 'NOT_IN_FORCE', detail });
    }
    await setTimeout(LOOK_INTERVAL_MS);
  }
}

async function tryClient(url: URL, folder: string, name: string): Promise<string | undefined> {
  const files = listClientFiles(folder, name);
  try {
    const client = createRestClient({
      url,
      authorities: await readFile(files.authority, 'utf8'),
      certificate: await readFile(files.certificate, 'utf8'),
      privateKey: await readFile(files.privateKey, 'utf8'),
    });
    await client.call(readOwnIdentity);
    return undefined;
  } catch (error) {
    return `${name} is rejected at ${url.origin}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function bracket(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
