import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** A body that is sent while it is read, and never in memory as a whole. */
export class StreamedBody {
  readonly sizeBytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;

  /** @param sizeBytes total size of all chunks */
  constructor(sizeBytes: number, chunks: AsyncIterable<Uint8Array>) {
    this.sizeBytes = sizeBytes;
    this.chunks = chunks;
  }
}

/** Header of a request whose body is sent by {@link sendChunks}. */
export const EXPECT_CONTINUE = { Expect: '100-continue' };

// A server or an intermediary may not support 100 (Continue) (RFC 9110, 10.1.1).
const CONTINUE_TIMEOUT_MS = 2_000;
// The server sends 100 before it has checked the credentials; a rejection may follow at once.
const REJECTION_TIMEOUT_MS = 200;

/**
 * Sends a body unless the server rejects the request by its header: a server that rejects stops reading, and its response
 * would be lost with the connection.
 */
export function sendChunks(outgoing: ClientRequest, chunks: AsyncIterable<Uint8Array>): void {
  const over = new AbortController();
  outgoing.once('response', (answer: IncomingMessage) => {
    over.abort();
    // An unsent rest would keep the connection open.
    answer.once('end', () => outgoing.destroy());
  });
  outgoing.once('close', () => over.abort());
  outgoing.flushHeaders();
  const source = Readable.from(chunks, { signal: over.signal });
  source.on('error', (error) => {
    if (!over.signal.aborted) outgoing.destroy(error);
  });
  awaitContinue(outgoing, over.signal).then(
    () => source.pipe(outgoing),
    () => undefined,
  );
}

/** @throws when the signal aborts first */
async function awaitContinue(outgoing: ClientRequest, signal: AbortSignal): Promise<void> {
  const continued = new AbortController();
  outgoing.once('continue', () => continued.abort());
  await wait(CONTINUE_TIMEOUT_MS, undefined, { signal: AbortSignal.any([signal, continued.signal]) }).catch(
    () => undefined,
  );
  await wait(REJECTION_TIMEOUT_MS, undefined, { signal });
}
