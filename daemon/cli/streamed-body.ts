import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** A body that is sent as it is read, so that memory does not grow with it. */
export class StreamedBody {
  readonly sizeBytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;

  /** @param sizeBytes of all chunks together */
  constructor(sizeBytes: number, chunks: AsyncIterable<Uint8Array>) {
    this.sizeBytes = sizeBytes;
    this.chunks = chunks;
  }
}

/** Header of a request whose body is sent by {@link sendChunks}. */
export const AWAITING_CONSENT = { Expect: '100-continue' };

// A server or a proxy between may know nothing of consent (RFC 9110, 10.1.1).
const CONSENT_LIMIT_MS = 2_000;
// The server consents before it has looked at who asks for what; its refusal is on the way then.
const REFUSAL_LIMIT_MS = 200;

/**
 * Sends a body unless the server refuses the request by its header: a server that refuses does not read on, and its answer
 * would be lost with the connection.
 */
export function sendChunks(outgoing: ClientRequest, chunks: AsyncIterable<Uint8Array>): void {
  const over = new AbortController();
  outgoing.once('response', (answer: IncomingMessage) => {
    over.abort();
    // What is still to be sent would keep the connection open.
    answer.once('end', () => outgoing.destroy());
  });
  outgoing.once('close', () => over.abort());
  outgoing.flushHeaders();
  const source = Readable.from(chunks, { signal: over.signal });
  source.on('error', (error) => {
    if (!over.signal.aborted) outgoing.destroy(error);
  });
  awaitConsent(outgoing, over.signal).then(
    () => source.pipe(outgoing),
    () => undefined,
  );
}

/** @throws when the signal aborts first */
async function awaitConsent(outgoing: ClientRequest, signal: AbortSignal): Promise<void> {
  const consented = new AbortController();
  outgoing.once('continue', () => consented.abort());
  await wait(CONSENT_LIMIT_MS, undefined, { signal: AbortSignal.any([signal, consented.signal]) }).catch(
    () => undefined,
  );
  await wait(REFUSAL_LIMIT_MS, undefined, { signal });
}
