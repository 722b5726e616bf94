import { createPublicKey, verify } from 'node:crypto';

import { check, z } from '../base/schema.ts';
import { chainHash, CHAIN_ORIGIN, digestGaps } from './audit-chain.ts';
import type { ChainedEvent, ChainGap, SignedCheckpoint } from './audit-chain.ts';

/** Everything that a chain consists of. */
export interface AuditChain {
  /** In ascending order. */
  readonly events: readonly ChainedEvent[];
  /** In ascending order. */
  readonly gaps: readonly ChainGap[];
  /** In ascending order; the last one covers the gaps and the last event. */
  readonly checkpoints: readonly SignedCheckpoint[];
}

/** What a walk along a chain found. */
export interface ChainFinding {
  /** The first break, in words; undefined: the chain is whole. */
  readonly fault?: string | undefined;
  /** Events whose hash is right. */
  readonly verified: number;
  /** Events that were removed because the store is bounded. */
  readonly trimmed: number;
  /** Events of an earlier release, which the chain does not cover. */
  readonly before: number;
  /** Checkpoints whose signature is right. */
  readonly checkpoints: number;
}

const stateSchema = z.strictObject({
  startId: z.int(),
  lastId: z.int(),
  hash: z.string(),
  gaps: z.string(),
  time: z.int(),
});
type State = z.infer<typeof stateSchema>;

class Break extends Error {}

/**
 * Walks along a chain up to its first break.
 *
 * @param publicKey of the gateway, PEM
 */
export function verifyChain(chain: AuditChain, publicKey: string): ChainFinding {
  const finding = { verified: 0, trimmed: 0, before: 0, checkpoints: 0 };
  try {
    walk(chain, publicKey, finding);
    return finding;
  } catch (error) {
    if (error instanceof Break) return { ...finding, fault: error.message };
    throw error;
  }
}

type Counts = { -readonly [Key in 'verified' | 'trimmed' | 'before' | 'checkpoints']: number };

function walk({ events, gaps, checkpoints }: AuditChain, publicKey: string, counts: Counts): void {
  const key = createPublicKey(publicKey);
  const states = checkpoints.map(({ text, signature }, index) => {
    const isSigned = verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    if (!isSigned) throw new Break(`the signature of checkpoint ${index + 1} is wrong`);
    counts.checkpoints += 1;
    return parseState(text);
  });
  const head = states.at(-1);
  if (head === undefined) {
    if (events.some((event) => event.hash !== undefined)) throw new Break('there is no checkpoint');
    counts.before = events.length;
    return;
  }
  if (digestGaps(gaps) !== head.gaps) throw new Break('the list of removed events is not the signed one');
  const expected = new Map(states.map((state) => [state.lastId, state.hash]));
  const position = new Position(head.startId, expected, counts);
  const following = [...gaps];
  for (const event of events) {
    if (event.id < head.startId) {
      if (event.hash !== undefined)
        throw new Break(`event ${event.id} has a hash, and is older than the chain`);
      counts.before += 1;
      continue;
    }
    // Read before it was removed; the gap is what is signed.
    while (following[0] !== undefined && following[0].firstId <= event.id) position.skip(following.shift());
    if (event.id >= position.nextId) position.take(event);
  }
  for (const gap of following) position.skip(gap);
  position.end(head);
}

/** How far a walk has come. */
class Position {
  nextId: number;
  #hash = CHAIN_ORIGIN;
  readonly #expected: ReadonlyMap<number, string>;
  readonly #counts: Counts;

  constructor(startId: number, expected: ReadonlyMap<number, string>, counts: Counts) {
    this.nextId = startId;
    this.#expected = expected;
    this.#counts = counts;
  }

  take({ id, text, hash }: ChainedEvent): void {
    if (id !== this.nextId) throw this.#missing(id - 1);
    if (!text.startsWith(`{"id":${id},`)) throw new Break(`event ${id} was changed`);
    if (hash !== chainHash(this.#hash, text)) throw new Break(`event ${id} was changed, or one before it`);
    this.#reach(id, hash);
    this.#counts.verified += 1;
  }

  skip(gap: ChainGap | undefined): void {
    if (gap === undefined) return;
    if (gap.firstId !== this.nextId) throw this.#missing(gap.firstId - 1);
    if (gap.before !== this.#hash) throw new Break(`event ${gap.firstId - 1} was changed, or one before it`);
    this.#reach(gap.lastId, gap.after);
    this.#counts.trimmed += gap.lastId - gap.firstId + 1;
  }

  end({ lastId, hash }: State): void {
    if (this.nextId <= lastId) throw this.#missing(lastId);
    if (this.nextId === lastId + 1 && this.#hash !== hash)
      throw new Break(`event ${lastId} was changed, or one before it`);
  }

  #reach(id: number, hash: string): void {
    const expected = this.#expected.get(id);
    if (expected !== undefined && expected !== hash) {
      throw new Break(`event ${id} is not the one that was signed`);
    }
    this.#hash = hash;
    this.nextId = id + 1;
  }

  #missing(lastId: number): Break {
    const events = this.nextId === lastId ? `event ${lastId} is` : `events ${this.nextId} to ${lastId} are`;
    return new Break(`${events} missing`);
  }
}

function parseState(text: string): State {
  const { value } = check(stateSchema, findJson(text));
  if (value === undefined) throw new Break('a checkpoint cannot be read');
  return value;
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
