import { hash } from 'node:crypto';

import { check, z } from '../../base/schema.ts';
import type { AuditEvent } from './audit-event.ts';

/** What the first event of a chain follows: 32 zero bytes, in hexadecimal. */
export const CHAIN_ORIGIN = '0'.repeat(64);

/** An event as the chain has it. */
export interface ChainedEvent {
  readonly id: number;
  /** The JSON text that the hash covers; see {@link renderEvent}. */
  readonly text: string;
  /** Absent: it was stored by a release that knew no chain. */
  readonly hash?: string | undefined;
}

/** Events that went because the store is bounded, and how the chain goes on without them. */
export interface ChainGap {
  readonly firstId: number;
  readonly lastId: number;
  /** Hash of the event before the first. */
  readonly before: string;
  /** Hash of the last. */
  readonly after: string;
}

/** A break of the chain that the gateway found: the chain begins anew with the event that records it. */
export interface RecordedBreak {
  /** Id of the first event after the break. */
  readonly firstId: number;
  /** The first thing that was wrong, in words. */
  readonly fault: string;
  /** Milliseconds since the epoch at which it was found. */
  readonly timeMs: number;
}

/** The state of the chain at one moment. */
export interface ChainState {
  /** Id of the first event of the chain: the first one that has a hash, or the one that records the last break. */
  readonly startId: number;
  /** Id and hash of the last event. */
  readonly lastId: number;
  readonly hash: string;
  /** Digest of all gaps; see {@link digestGaps}. */
  readonly gaps: string;
  /** Digest of all breaks, see {@link digestBreaks}; absent: there is none. */
  readonly breaks?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** A state as the gateway vouches for it. */
export interface SignedCheckpoint {
  /** The JSON text that the signature covers; see {@link renderState}. */
  readonly text: string;
  /** Ed25519 (RFC 8032) of the text, in base64. */
  readonly signature: string;
}

type EventFields = Omit<AuditEvent, 'detail' | 'event'> & {
  readonly event: string;
  readonly id: number;
};

/**
 * Returns the text of an event that its hash covers: a JSON object without white space, whose members are those of the REST
 * interface in this order: id, time, event, outcome, identity, method, address, requestId, target, detail; absent ones are left out. Strings
 * and numbers are written as ECMAScript does (`JSON.stringify`).
 *
 * @param detail the detail as JSON text
 */
export function renderEvent(fields: EventFields, detail: string | undefined): string {
  const { id, timeMs: time, event, outcome, identity, method, address, requestId, target } = fields;
  const head = JSON.stringify({ id, time, event, outcome, identity, method, address, requestId, target });
  return detail === undefined ? head : `${head.slice(0, -1)},"detail":${detail}}`;
}

/**
 * Returns the hash of an event: SHA-256 over the 32 bytes of the previous hash and the UTF-8 of its text.
 *
 * @param previous hexadecimal; {@link CHAIN_ORIGIN} for the first event
 * @returns lower-case hexadecimal
 */
export function chainHash(previous: string, text: string): string {
  const bytes = Buffer.allocUnsafe(32 + Buffer.byteLength(text));
  bytes.write(previous, 0, 'hex');
  bytes.write(text, 32);
  return hash('sha256', bytes);
}

/** Returns the SHA-256 of all gaps in ascending order, each as `FIRST-LAST BEFORE AFTER` and a line feed. */
export function digestGaps(gaps: Iterable<ChainGap>): string {
  const lines = [...gaps].map(
    ({ firstId, lastId, before, after }) => `${firstId}-${lastId} ${before} ${after}\n`,
  );
  return hash('sha256', lines.join(''));
}

/** Returns the SHA-256 of all breaks in ascending order, each as `FIRST TIME FAULT` and a line feed. */
export function digestBreaks(breaks: readonly RecordedBreak[]): string {
  const lines = breaks.map(({ firstId, timeMs, fault }) => `${firstId} ${timeMs} ${fault}\n`);
  return hash('sha256', lines.join(''));
}

/** Returns the text of a state that a signature covers: JSON without white space, with these members in this order. */
export function renderState({ startId, lastId, hash: last, gaps, breaks, timeMs }: ChainState): string {
  return JSON.stringify({ startId, lastId, hash: last, gaps, breaks, time: timeMs });
}

const stateSchema = z.strictObject({
  startId: z.int(),
  lastId: z.int(),
  hash: z.string(),
  gaps: z.string(),
  breaks: z.string().optional(),
  time: z.int(),
});

/** Returns the state that {@link renderState} wrote; undefined when the text is of another form. */
export function parseState(text: string): ChainState | undefined {
  const { value } = check(stateSchema, findJson(text));
  if (value === undefined) return undefined;
  const { time: timeMs, ...state } = value;
  return { ...state, timeMs };
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
