import { createPublicKey, verify } from 'node:crypto';

import { digestBreaks, digestGaps, parseState } from './audit-chain.ts';
import type { ChainedEvent, ChainGap, ChainState, RecordedBreak, SignedCheckpoint } from './audit-chain.ts';
import { ChainFault, ChainWalk, createChainFault } from './chain-walk.ts';

/** A complete chain. */
export interface AuditChain {
  /** In ascending order. */
  readonly events: readonly ChainedEvent[];
  /** In ascending order. */
  readonly gaps: readonly ChainGap[];
  /** Breaks found by the gateway, in ascending order; absent: none. */
  readonly breaks?: readonly RecordedBreak[] | undefined;
  /** In ascending order; the last one covers the gaps, the breaks and the last event. */
  readonly checkpoints: readonly SignedCheckpoint[];
}

/** Result of the verification of a chain. */
export interface ChainFinding {
  /** Description of the first break; undefined: the chain is intact. */
  readonly fault?: string | undefined;
  /** Breaks recorded by the gateway itself; a new chain started after each. */
  readonly breaks: readonly RecordedBreak[];
  /** Number of events with a valid hash. */
  readonly verified: number;
  /** Number of events removed by retention. */
  readonly trimmed: number;
  /** Number of events of a release without chain. */
  readonly before: number;
  /** Number of events before a recorded break, which are no longer verifiable. */
  readonly unproved: number;
  /** Number of lost events, according to EVENTS_LOST. */
  readonly lost: number;
  /** Number of checkpoints with a valid signature. */
  readonly checkpoints: number;
}

type Counts = { -readonly [Key in Exclude<keyof ChainFinding, 'fault' | 'breaks'>]: number };

/**
 * Verifies a chain up to its first break. A break recorded by the gateway is always reported; the events after it are verified
 * nevertheless.
 *
 * @param publicKey public key of the gateway, PEM
 */
export function verifyChain(chain: AuditChain, publicKey: string): ChainFinding {
  const counts: Counts = { verified: 0, trimmed: 0, before: 0, unproved: 0, lost: 0, checkpoints: 0 };
  const { breaks = [] } = chain;
  const [first] = breaks;
  const recorded = first === undefined ? {} : { fault: `${first.fault}; recorded by event ${first.firstId}` };
  try {
    walk(chain, publicKey, counts);
    return { ...recorded, breaks, ...counts };
  } catch (error) {
    if (error instanceof ChainFault) return { fault: error.message, breaks, ...counts };
    throw error;
  }
}

function walk(chain: AuditChain, publicKey: string, counts: Counts): void {
  const { events, gaps, breaks = [], checkpoints } = chain;
  const states = verifyCheckpoints(checkpoints, publicKey, counts);
  const head = states.at(-1);
  if (head === undefined) throw createChainFault('CHAIN_CHECKPOINT_MISSING', {});
  checkLists(head, gaps, breaks);
  const signed = states.filter(({ startId }) => startId === head.startId);
  const steps = new ChainWalk(
    { nextId: head.startId },
    new Map(signed.map(({ lastId, hash }) => [lastId, hash])),
  );
  try {
    const own = events.filter((event) => !isOlder(event, head, { breaks, counts }));
    steps.advance(own, gaps);
    steps.end(head);
  } finally {
    counts.verified = steps.verified;
    counts.trimmed = steps.trimmed;
    counts.lost = sumLost(events);
  }
}

function verifyCheckpoints(
  checkpoints: readonly SignedCheckpoint[],
  publicKey: string,
  counts: Counts,
): readonly ChainState[] {
  const key = createPublicKey(publicKey);
  return checkpoints.map(({ text, signature }, index) => {
    const isSigned = verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    if (!isSigned) {
      throw createChainFault('CHAIN_SIGNATURE_INVALID', { checkpoint: index + 1 });
    }
    counts.checkpoints += 1;
    const state = parseState(text);
    if (state === undefined) throw createChainFault('CHAIN_CHECKPOINT_UNREADABLE', {});
    return state;
  });
}

/**
 * Compares the lists of gaps and breaks with the digests of a signed state.
 *
 * @throws {ChainFault} if they differ
 */
export function checkLists(
  head: Pick<ChainState, 'gaps' | 'breaks' | 'startId'>,
  gaps: readonly ChainGap[],
  breaks: readonly RecordedBreak[],
): void {
  if (digestGaps(gaps) !== head.gaps) {
    throw createChainFault('CHAIN_REMOVALS_DIFFER', {});
  }
  const known = breaks.length === 0 ? undefined : digestBreaks(breaks);
  if (known !== head.breaks) throw createChainFault('CHAIN_BREAKS_DIFFER', {});
}

function sumLost(events: readonly ChainedEvent[]): number {
  const lost = events.filter(({ text }) => text.includes('"event":"EVENTS_LOST"'));
  return lost.reduce((sum, { text }) => {
    const { event, detail } = JSON.parse(text) as { event: string; detail?: { count?: unknown } };
    return event === 'EVENTS_LOST' ? sum + Number(detail?.count ?? 0) : sum;
  }, 0);
}

/** Returns true if an event is older than the chain, and counts it. */
function isOlder(
  { id, hash }: ChainedEvent,
  { startId }: ChainState,
  { breaks, counts }: { readonly breaks: readonly RecordedBreak[]; readonly counts: Counts },
): boolean {
  if (id >= startId) return false;
  if (breaks.length > 0) counts.unproved += 1;
  else if (hash !== undefined || id < 1) {
    throw createChainFault('CHAIN_EVENT_ADDED', { event: id });
  } else counts.before += 1;
  return true;
}
