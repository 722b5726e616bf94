import { hash } from 'node:crypto';

import { check, z } from '../../base/schema.ts';
import type { FaultReason } from '../../interface/failure.ts';
import type { AuditEvent } from './audit-event.ts';

/** Predecessor hash of the first event of a chain: 32 zero bytes, in hexadecimal. */
export const CHAIN_ORIGIN = '0'.repeat(64);

/** An event as a link of the chain. */
export interface ChainedEvent {
  readonly id: number;
  /** The JSON text that the hash covers; see {@link renderEvent}. */
  readonly text: string;
  /** Absent: stored by a release without chain. */
  readonly hash?: string | undefined;
}

/** A range of events removed by retention, with the hashes that link its neighbours. */
export interface ChainGap {
  readonly firstId: number;
  readonly lastId: number;
  /** Hash of the event before the first. */
  readonly before: string;
  /** Hash of the last removed event. */
  readonly after: string;
}

/** A break that the gateway found; a new chain starts with the event that records it. */
export interface RecordedBreak {
  /** Id of the first event after the break. */
  readonly firstId: number;
  /** Description of the first fault. */
  readonly fault: string;
  /** Sentences of the fault by code; absent in a list for verification, and if the event that records the break is gone. */
  readonly reasons?: readonly FaultReason[] | undefined;
  /** Time of detection, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/** State of the chain at one moment. */
export interface ChainState {
  /** Id of the first event of the chain: the first with a hash, or the event that records the last break. */
  readonly startId: number;
  /** Id and hash of the last event. */
  readonly lastId: number;
  readonly hash: string;
  /** Digest of all gaps; see {@link digestGaps}. */
  readonly gaps: string;
  /** Digest of all breaks, see {@link digestBreaks}; absent: no break. */
  readonly breaks?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** A chain state signed by the gateway. */
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
 * Renders the event text that its hash covers: a JSON object without white space. Its members are those of the REST interface in
 * this order: id, time, event, outcome, identity, method, address, requestId, target, detail; absent members are omitted. Strings
 * and numbers have the form of `JSON.stringify`.
 *
 * @param detail the detail as JSON text
 */
export function renderEvent(fields: EventFields, detail: string | undefined): string {
  const { id, timeMs: time, event, outcome, identity, method, address, requestId, target } = fields;
  const head = JSON.stringify({ id, time, event, outcome, identity, method, address, requestId, target });
  return detail === undefined ? head : `${head.slice(0, -1)},"detail":${detail}}`;
}

/**
 * Computes an event hash: SHA-256 over the 32 bytes of the previous hash and the event text in UTF-8.
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

/** Computes the SHA-256 of all gaps in ascending order, each as `FIRST-LAST BEFORE AFTER` and a line feed. */
export function digestGaps(gaps: Iterable<ChainGap>): string {
  return hash('sha256', [...gaps].map(renderGap).join(''));
}

/** Renders the line of a gap that the digest covers. */
export function renderGap({ firstId, lastId, before, after }: ChainGap): string {
  return `${firstId}-${lastId} ${before} ${after}\n`;
}

/** Computes the SHA-256 of all breaks in ascending order, each as `FIRST TIME FAULT` and a line feed. */
export function digestBreaks(breaks: readonly RecordedBreak[]): string {
  const lines = breaks.map(({ firstId, timeMs, fault }) => `${firstId} ${timeMs} ${fault}\n`);
  return hash('sha256', lines.join(''));
}

/** Renders the state text that a signature covers: JSON without white space, with these members in this order. */
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

/** Parses the output of {@link renderState}; undefined for any other text. */
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
