import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { HttpRefusal } from './problem.ts';

// 132 bits.
const DIGEST_LENGTH = 22;

/** Writes the tag of a state that has no number: a digest of what it holds (RFC 9110, 8.8.3). */
export function digestEntityTag(state: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, DIGEST_LENGTH)}"`;
}

/** Returns whether a change is meant for the state with this tag; without `If-Match` it is meant for any (RFC 9110, 13.1.1). */
export function matchesEntityTag({ headers }: IncomingMessage, tag: string): boolean {
  const given = headers['if-match'];
  if (given === undefined || given.trim() === '*') return true;
  return given.split(',').some((part) => part.trim() === tag);
}

/** Writes the number of a snapshot as entity tag (RFC 9110, 8.8.3). */
export function formatEntityTag(snapshotId: number): string {
  return `"${snapshotId}"`;
}

/**
 * Reads which snapshot a change is meant for (RFC 9110, 13.1.1).
 *
 * @param isNeeded without `If-Match` the change is refused
 * @returns undefined when any will do; a number that no snapshot has when the tag cannot be one of ours
 * @throws {HttpRefusal} 428 (RFC 6585, 3)
 */
export function readBasis({ headers }: IncomingMessage, isNeeded: boolean): number | undefined {
  const given = headers['if-match'];
  if (given === '*') return undefined;
  if (given !== undefined) return Number(/^"(\d{1,15})"$/.exec(given)?.[1] ?? -1);
  if (!isNeeded) return undefined;
  const detail = 'If-Match is missing; expected the ETag of the version that was read, or *';
  throw new HttpRefusal({ status: 428, code: 'PRECONDITION_MISSING', detail });
}
