import { Unavailable } from '../../../base/errors.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import { bodyOf } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { COUNTED_BYTES } from './connection.ts';
import type { RequestContext } from '../request-context.ts';
import { HttpRefusal } from '../problem.ts';

// The bytes and the value parsed from them exist at the same time; the largest body, a configuration of 16 MiB, still fits.
const BODY_FACTOR = 2;
const RETRY_AFTER_SECONDS = 5;

/**
 * Reserves memory for a response until the client has read it.
 *
 * @throws {Unavailable} `ANSWERS_EXHAUSTED` if the budget is exhausted; never for a request that may have changed something,
 *   because the client must receive its outcome
 */
export function reserveResponse(context: RequestContext, answer: Answer): void {
  const { length } = bodyOf(answer) ?? '';
  if (length < COUNTED_BYTES) return;
  const reservation = context.connection.reserve(networkOf(context.remoteAddress));
  const { method } = context.request;
  if (method !== 'GET' && method !== 'HEAD') {
    reservation.force(length);
  } else if (!reservation.resize(length)) {
    const detail = 'too many responses are waiting for slow clients';
    throw new Unavailable({ code: 'ANSWERS_EXHAUSTED', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

/**
 * Returns a function that reserves memory for a body as it arrives, until the response is sent.
 *
 * The function throws {HttpRefusal} 503 `BODIES_EXHAUSTED` if the budget is exhausted.
 */
export function reserveBody({ connection, remoteAddress }: RequestContext): (receivedBytes: number) => void {
  const reservation = connection.reserve(networkOf(remoteAddress));
  return (receivedBytes) => {
    if (receivedBytes < COUNTED_BYTES || reservation.resize(receivedBytes * BODY_FACTOR)) return;
    throw new HttpRefusal({
      status: 503,
      code: 'BODIES_EXHAUSTED',
      detail: 'too many large request bodies are in progress',
      // The rest is not read, so the connection cannot be reused.
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), Connection: 'close' },
    });
  };
}
