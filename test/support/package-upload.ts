import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

import type { SessionClient } from './https-client.ts';

const ROOT = '/services/deploy/v2';
const PAUSE_MS = 20;
const BOUNDARY = 'boundary-51c0';

/** An operation on packages that has ended, as the gateway tells of it. */
export interface ShownOperation {
  readonly id: string;
  readonly operation: string;
  readonly state: string;
  readonly name?: string;
  readonly grants?: readonly {
    readonly bundle: string;
    readonly permissions: readonly string[];
    readonly identities?: string;
  }[];
  readonly errorCode?: number;
  readonly message?: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Sends a package as a browser does and returns the operation as it ended. */
export async function uploadPackage(client: SessionClient, content: Uint8Array): Promise<ShownOperation> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.dp"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  const answer = await client.send('POST', `${ROOT}/_upload`, { headers, body });
  assert.deepEqual([answer.status, answer.json], [200, 'REQUEST_RECEIVED']);
  return awaitOperation(client, String(answer.headers['location']));
}

/** Removes a package and returns the operation as it ended. */
export async function removePackage(client: SessionClient, name: string): Promise<ShownOperation> {
  const { headers } = await client.send('DELETE', `${ROOT}/${name}`);
  return awaitOperation(client, String(headers['location']));
}

/** Waits until the operation at this path has ended. */
export async function awaitOperation(client: SessionClient, place: string): Promise<ShownOperation> {
  for (;;) {
    const operation = (await client.send('GET', place)).json as ShownOperation;
    if (operation.state === 'COMPLETED' || operation.state === 'FAILED') return operation;
    // A client that polls without a pause takes the processor from the operation.
    await setTimeout(PAUSE_MS);
  }
}
