import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import type { GatewayOnMachine } from './gateway-on-machine.ts';

const ROOT = '/services/deploy/v2';
const BOUNDARY = 'boundary-7d1f';
const PAUSE_MS = 500;

/** A package as the gateway lists it. */
export interface DeployedPackage {
  readonly name: string;
  readonly version: string;
  readonly bundles: readonly { readonly name: string; readonly version: string; readonly state: string }[];
}

/** An operation on packages as the gateway tells of it. */
export interface DeployOperation {
  readonly id: string;
  readonly state: string;
  readonly message?: string;
}

/** Sends a package and returns the path of the operation; throws unless the gateway has acknowledged it. */
export async function sendPackage(gateway: GatewayOnMachine, content: Uint8Array): Promise<string> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.dp"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  const answer = await gateway.send('POST', `${ROOT}/_upload`, { headers, body });
  assert.deepEqual([answer.status, answer.json], [200, 'REQUEST_RECEIVED']);
  return String(answer.headers['location']);
}

/** Waits until every operation has ended, and returns them. */
export async function awaitOperations(gateway: GatewayOnMachine): Promise<readonly DeployOperation[]> {
  for (;;) {
    const operations = (await gateway.ask('GET', `${ROOT}/_status`)) as readonly DeployOperation[];
    if (operations.every(({ state }) => state === 'COMPLETED' || state === 'FAILED')) return operations;
    await pause(PAUSE_MS);
  }
}

/** Returns the packages that are installed, once their bundles have started or failed: the gateway serves before they do. */
export async function listPackages(gateway: GatewayOnMachine): Promise<readonly DeployedPackage[]> {
  for (;;) {
    const packages = (await gateway.ask('GET', ROOT)) as readonly DeployedPackage[];
    if (packages.every(({ bundles }) => bundles.every(({ state }) => state !== 'STARTING'))) return packages;
    await pause(PAUSE_MS);
  }
}
