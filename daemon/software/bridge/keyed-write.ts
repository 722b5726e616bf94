import { createHash } from 'node:crypto';

import { Conflict, GatewayError, TooManyRequests } from '../../base/errors.ts';
import { recordInterruptedWrite } from '../../plant/asset/write/interrupted-write.ts';
import type { IdempotencyStore } from '../../security/idempotency/idempotency-store.ts';
import type { BundleCallParams, WireRecord } from '../bundle/message/messages.ts';
import { openForBundle, toChannelWrite, toWireRecord, writeForBundle } from './asset-calls.ts';
import type { BundleCaller } from './asset-calls.ts';

const RETRY_AFTER_SECONDS = 3600;

/** A bundle that writes, and where the keys of its writes are kept. */
interface KeyedCaller extends BundleCaller {
  readonly keys: Pick<IdempotencyStore, 'begin' | 'end' | 'claim' | 'complete' | 'release' | 'isReused'>;
}

/**
 * Writes channels for a bundle, once for each key: the same key and write get the first outcome again for 24 hours. Without a key,
 * as `writeForBundle`.
 *
 * @param ending that of the call
 * @throws {Conflict} `IDEMPOTENCY_KEY_RUNNING` while the first write with the key runs
 * @throws {GatewayError} `IDEMPOTENCY_KEY_REUSED` for another write with a key
 * @throws {TooManyRequests} `IDEMPOTENCY_KEYS_FULL`
 * @throws as `writeForBundle`, and {StoreFailure} if the key cannot be stored; nothing is written then
 */
export async function writeOnce(
  bundle: KeyedCaller,
  params: BundleCallParams<'assets.write'>,
  ending: AbortSignal,
): Promise<readonly WireRecord[]> {
  const { key, ...write } = params;
  if (key === undefined) return writeForBundle(bundle, write, ending);
  const body = JSON.stringify(write);
  const owner = { identity: bundle.caller.identity.id, key };
  const digest = createHash('sha256').update(body).digest('hex');
  const { keys } = bundle;
  if (!keys.begin(owner)) throw keys.isReused({ ...owner, digest }) ? createReuse() : createRunning();
  try {
    const claim = keys.claim({ ...owner, digest, bodyBytes: body.length });
    if (claim.state === 'REUSED') throw createReuse();
    if (claim.state === 'FULL') throw createFull();
    if (claim.state === 'ANSWERED' || claim.state === 'INTERRUPTED') {
      const text = claim.state === 'ANSWERED' ? (claim.answer.body?.toString() ?? '[]') : undefined;
      return replay(bundle, params, { text, nowMs: claim.nowMs });
    }
    return await writeFirst(bundle, params, { ending, owner });
  } finally {
    keys.end(owner);
  }
}

async function writeFirst(
  bundle: KeyedCaller,
  params: BundleCallParams<'assets.write'>,
  {
    ending,
    owner,
  }: { readonly ending: AbortSignal; readonly owner: { readonly identity: string; readonly key: string } },
): Promise<readonly WireRecord[]> {
  const { keys } = bundle;
  let records: readonly WireRecord[];
  try {
    records = await writeForBundle(bundle, params, ending);
  } catch (error) {
    // Refused before anything was sent. After any other error the outcome is unknown, as after a crash.
    if (error instanceof GatewayError) keys.release(owner);
    throw error;
  }
  keys.complete(owner, { status: 200, headers: {}, body: Buffer.from(JSON.stringify(records)) });
  return records;
}

interface FirstOutcome {
  /** Undefined: the gateway stopped before the outcome was known. */
  readonly text: string | undefined;
  readonly nowMs: number;
}

function replay(
  bundle: KeyedCaller,
  { asset: pid, channels, key = '' }: BundleCallParams<'assets.write'>,
  { text, nowMs }: FirstOutcome,
): readonly WireRecord[] {
  const asset = openForBundle(bundle, pid);
  const writes = channels.map(toChannelWrite);
  bundle.log.replayed({ caller: bundle.caller, asset: pid, key });
  if (text === undefined) return recordInterruptedWrite(writes, nowMs).map(toWireRecord);
  const withheld = asset.withhold(writes, {
    showsReadBack: text.includes('"readBack"'),
    showsConditions: text.includes('"WRITE_CONDITION'),
    nowMs,
  });
  return withheld?.map(toWireRecord) ?? (JSON.parse(text) as readonly WireRecord[]);
}

function createRunning(): Conflict {
  return new Conflict({
    code: 'IDEMPOTENCY_KEY_RUNNING',
    detail: 'the first write with this key is still running',
  });
}

function createReuse(): GatewayError {
  return new GatewayError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    detail: 'this key was used for another write',
  });
}

function createFull(): TooManyRequests {
  return new TooManyRequests({
    code: 'IDEMPOTENCY_KEYS_FULL',
    detail: 'too many keys are stored for this bundle or in total; each expires after 24 hours',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
