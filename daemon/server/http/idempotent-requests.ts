import { createHash } from 'node:crypto';

import { Conflict, InvalidRequest, TooManyRequests, Unavailable } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Slices } from '../../base/slices.ts';
import type {
  StoredResponse,
  KeyClaim,
  IdempotencyStore,
} from '../../security/idempotency/idempotency-store.ts';
import type { Answer } from './answer.ts';
import { HttpRefusal } from './problem.ts';
import type { IdempotencyContext, RequestContext, Step } from './request-context.ts';

const KEY = /^[A-Za-z0-9._-]{1,64}$/;
const REPLAYED = { 'Idempotency-Replayed': 'true' } as const;
const RETRY_AFTER_SECONDS = 3600;

/** Pipeline steps that execute a request with an `Idempotency-Key` at most once. */
interface IdempotentRequests {
  /** 400 for a malformed key, before the body; 409 for an upload whose key runs, so that its file is not received. */
  readonly admit: Step;
  /**
   * Stores the key on disk before the operation runs, or replaces the operation with the first response. 409 while the first
   * request runs, 422 for a different request with the key, 429 if the key quota is exhausted.
   */
  readonly claim: Step;
  /** Stores the response of a request that this process executed; never throws. */
  settle(context: RequestContext, answer: Answer, error?: unknown): void;
}

/** Creates the steps for one store. */
export function createIdempotentRequests(ledger: IdempotencyStore, logger: Logger): IdempotentRequests {
  function begin(keyed: IdempotencyContext): boolean {
    keyed.isBegun ??= ledger.begin(keyed.owner) || undefined;
    return keyed.isBegun === true;
  }

  function claim(context: RequestContext, keyed: IdempotencyContext): void {
    const request = { ...keyed.owner, digest: digestRequest(context), bodyBytes: keyed.body?.bytes ?? 0 };
    if (!begin(keyed)) throw ledger.isReused(request) ? refuseReuse() : refuseRunning();
    applyClaim(context, keyed, ledger.claim(request));
  }

  return {
    admit(context) {
      const { endpoint, request, principal } = context;
      const key = request.headers['idempotency-key'];
      if (endpoint?.isKeyed !== true || principal === undefined || key === undefined) return;
      if (typeof key !== 'string' || !KEY.test(key)) throw refuseMalformed();
      const keyed: IdempotencyContext = { owner: { identity: principal.identity.id, key } };
      context.keyed = keyed;
      // Refuse a second upload at once; a whole body is short, and the sender of the first may have disconnected.
      const isStreamed = endpoint.request?.receive !== undefined;
      if (isStreamed && !begin(keyed)) throw refuseRunning();
    },

    claim(context) {
      const { keyed } = context;
      if (keyed === undefined) return undefined;
      try {
        claim(context, keyed);
      } catch (error) {
        return discardBody(context).then(() => {
          throw error;
        });
      }
      return keyed.isClaimed === true ? undefined : discardBody(context);
    },

    settle(context, answer, error) {
      const { keyed } = context;
      if (keyed === undefined) return;
      const { owner, isBegun = false, isClaimed = false } = keyed;
      // A response that is decided twice is stored once.
      keyed.isBegun = undefined;
      keyed.isClaimed = undefined;
      try {
        // 503: nothing was done, the client is to retry.
        if (isClaimed && error instanceof Unavailable) ledger.release(owner);
        else if (isClaimed) ledger.complete(owner, toKept(answer));
        else if (isBegun) ledger.end(owner);
      } catch (failure) {
        // The client receives its response; a retry reports an unknown outcome.
        logger.error('request.responseNotStored', { requestId: context.requestId, error: failure });
      }
    },
  };
}

/** Returns the digest of a body by which a reused key is detected. */
export function digest(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the digest of a body in pieces, as {@link digest} does, and its length; in slices. */
export function* digestPieces(
  pieces: readonly Uint8Array[],
): Slices<{ readonly digest: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    yield;
  }
  return { digest: hash.digest('hex'), bytes };
}

function digestRequest(context: RequestContext): string {
  const { request, endpoint, keyed, body } = context;
  const { method = '', url = '' } = request;
  const streamed = endpoint?.request?.receive === undefined ? undefined : endpoint.request.digestOf(body);
  // No method and no target holds a line break.
  return digest(`${method}\n${url}\n${streamed ?? keyed?.body?.digest ?? ''}`);
}

function applyClaim(context: RequestContext, keyed: IdempotencyContext, claim: KeyClaim): void {
  const { operation } = context;
  if (operation === undefined) throw new Error('a step came before the route was chosen');
  if (claim.state === 'REUSED') throw refuseReuse();
  if (claim.state === 'FULL') throw refuseFull();
  if (claim.state === 'ANSWERED') {
    const { status, headers, body } = claim.answer;
    // Nothing is done; the audit event says so.
    context.auditAnnotation = { details: [{ replayedKey: keyed.owner.key }] };
    const json = body === undefined ? {} : { json: body };
    context.operation = () => {
      const instead = context.answerInstead?.({ text: body?.toString() ?? '', nowMs: claim.nowMs });
      const first = instead ?? { status, headers, ...json };
      return { ...first, headers: { ...first.headers, ...REPLAYED } };
    };
    return;
  }
  keyed.isClaimed = true;
  if (claim.state === 'NEW') return;
  context.operation = () => {
    const answer = context.answerInterrupted?.(claim.nowMs);
    if (answer === undefined) return operation();
    return discardBody(context).then(() => ({ ...answer, headers: { ...answer.headers, ...REPLAYED } }));
  };
}

async function discardBody({ endpoint, body }: RequestContext): Promise<void> {
  if (endpoint?.request?.receive !== undefined) await endpoint.request.discard(body);
}

function toKept({ status, headers = {}, json }: Answer): StoredResponse {
  const kept = Object.entries(headers).filter(([name]) => name !== 'Idempotency-Replayed');
  const body = json === undefined ? {} : { body: Buffer.from(json as string) };
  return { status, headers: Object.fromEntries(kept), ...body };
}

function refuseMalformed(): InvalidRequest {
  const detail = 'Idempotency-Key must be 1 to 64 letters, digits, dots, hyphens or underscores';
  return new InvalidRequest({ code: 'IDEMPOTENCY_KEY_MALFORMED', detail });
}

function refuseRunning(): Conflict {
  const detail = 'the first request with this Idempotency-Key is still running';
  return new Conflict({ code: 'IDEMPOTENCY_KEY_RUNNING', detail });
}

function refuseReuse(): HttpRefusal {
  const detail = 'this Idempotency-Key was used for another request';
  return new HttpRefusal({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED', detail });
}

function refuseFull(): TooManyRequests {
  const detail =
    'too many idempotency keys are stored for this identity or in total; each expires after 24 hours';
  return new TooManyRequests({
    code: 'IDEMPOTENCY_KEYS_FULL',
    detail,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
