import type { Clock } from '../../../base/clock.ts';
import { TooManyRequests, Unavailable } from '../../../base/errors.ts';
import { isWithinShare } from '../../../base/sharing/fair-share.ts';
import { addFields } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import { EventStream } from './event-stream.ts';
import type { OpenEventFlow } from './event-stream.ts';
import type { RevokedCredential } from '../../../security/identity/credential-revocations.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import type { RequestContext } from '../request-context.ts';
import { findStreamEnd } from './stream-access.ts';
import type { StreamAccessParts } from './stream-access.ts';

/** Streams of one identity: enough for every screen of a plant that shares it. */
export const MAXIMUM_STREAMS_PER_IDENTITY = 32;

/** Streams of all identities together. */
export const MAXIMUM_STREAMS = 256;

const RETRY_AFTER_SECONDS = 10;

/** Limits the open event streams and ends those that lose access. */
export class EventStreams {
  readonly #parts: StreamAccessParts & { readonly clock: Clock };
  readonly #open = new Map<EventStream, RequestContext>();
  readonly #countByIdentity = new Map<string, number>();
  #count = 0;

  constructor(parts: StreamAccessParts & { readonly clock: Clock }) {
    this.#parts = parts;
  }

  /**
   * Checks that another stream may be opened.
   *
   * @throws {TooManyRequests} `STREAMS_OF_IDENTITY_EXHAUSTED`
   * @throws {Unavailable} `STREAMS_EXHAUSTED`
   */
  checkCapacity(context: RequestContext): void {
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    const own = this.#countByIdentity.get(keyOf(context)) ?? 0;
    if (own >= MAXIMUM_STREAMS_PER_IDENTITY) {
      const detail = `${MAXIMUM_STREAMS_PER_IDENTITY} event streams of this identity are open`;
      throw new TooManyRequests({ code: 'STREAMS_OF_IDENTITY_EXHAUSTED', detail, retryAfterSeconds });
    }
    // The last streams are reserved for identities with few.
    if (!isWithinShare({ own, used: this.#count, maximum: MAXIMUM_STREAMS }, 1)) {
      const detail = 'too many event streams are open';
      throw new Unavailable({ code: 'STREAMS_EXHAUSTED', detail, retryAfterSeconds });
    }
  }

  /**
   * Sends the response head and then events, until the client disconnects, the port closes, or the identity loses access.
   *
   * @param fixed names and values, in turn, of the fields that every answer has
   */
  open(
    context: RequestContext,
    { status, headers }: Answer,
    flow: OpenEventFlow,
    fixed: readonly string[],
  ): void {
    const { response, closing } = context;
    if (response.headersSent || response.destroyed) return;
    // The connection ends with the stream: a client that reconnects may be routed elsewhere.
    const fields = [...fixed, 'Cache-Control', 'no-store', 'Connection', 'close'];
    addFields(fields, headers);
    response.writeHead(status, fields);
    const { clock } = this.#parts;
    const onClosing = (): void => stream.end('PORT_CLOSED');
    const stream = new EventStream({
      response,
      reservation: context.connection.reserve(networkOf(context.remoteAddress)),
      open: flow,
      // A stream outlives the check of its request.
      onTick: () => void this.#recheck(context, stream),
      onClose: () => {
        closing.removeEventListener('abort', onClosing);
        this.#open.delete(stream);
        this.#note(context, -1);
      },
      clock,
    });
    this.#open.set(stream, context);
    this.#note(context, 1);
    stream.start();
    if (closing.aborted) onClosing();
    else closing.addEventListener('abort', onClosing, { once: true });
  }

  /** Ends the streams that were opened with a proof which has just ended; those that may have been are checked again. */
  settle(proof: RevokedCredential): void {
    for (const [stream, context] of this.#open) {
      const { principal } = context;
      if (proof.kind === 'TOKENS_OF_KEY') {
        if (principal?.method === 'bearer') void this.#recheck(context, stream);
      } else if (principal !== undefined && isProvedBy(principal, proof)) stream.end('NOT_AUTHENTICATED');
    }
  }

  async #recheck(context: RequestContext, stream: EventStream): Promise<void> {
    const reason = await findStreamEnd(context, this.#parts);
    if (reason !== undefined) stream.end(reason);
  }

  #note(context: RequestContext, change: 1 | -1): void {
    const key = keyOf(context);
    const count = (this.#countByIdentity.get(key) ?? 0) + change;
    this.#count += change;
    if (count > 0) this.#countByIdentity.set(key, count);
    else this.#countByIdentity.delete(key);
  }
}

// Streams without an identity share one count.
function keyOf({ principal }: RequestContext): string {
  return principal?.identity.id ?? '';
}

function isProvedBy(
  { method, identity, sessionId }: Principal,
  proof: Exclude<RevokedCredential, { readonly kind: 'TOKENS_OF_KEY' }>,
): boolean {
  return proof.kind === 'SESSION'
    ? method === 'session' && sessionId === proof.sessionId
    : method === 'bearer' && identity.id === proof.identityId;
}
