import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { tagOfContent } from './content-coding.ts';
import { HttpRefusal } from './problem.ts';

// 132 bits.
const DIGEST_LENGTH = 22;

/** Returns the entity tag of a state without a number: a digest of its content (RFC 9110, 8.8.3). */
export function digestEntityTag(state: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, DIGEST_LENGTH)}"`;
}

/** True if `If-Match` is absent, `*` or contains this tag, or that of a coded form of the content (RFC 9110, 13.1.1). */
export function matchesEntityTag({ headers }: IncomingMessage, tag: string): boolean {
  const given = headers['if-match'];
  if (given === undefined || given.trim() === '*') return true;
  return given.split(',').some((part) => tagOfContent(part.trim()) === tag);
}

/** Formats a snapshot number as entity tag (RFC 9110, 8.8.3). */
export function formatEntityTag(snapshotId: number): string {
  return `"${snapshotId}"`;
}

/**
 * Reads the expected snapshot of a change from `If-Match` (RFC 9110, 13.1.1).
 *
 * @param isNeeded true: refuse a change without `If-Match`
 * @returns undefined if any snapshot is accepted; -1, which no snapshot has, if the tag is not one of ours
 * @throws {HttpRefusal} 428 (RFC 6585, 3)
 */
export function readBasis({ headers }: IncomingMessage, isNeeded: boolean): number | undefined {
  const given = headers['if-match'];
  if (given === '*') return undefined;
  if (given !== undefined) return Number(/^"(\d{1,15})"$/.exec(tagOfContent(given))?.[1] ?? -1);
  if (!isNeeded) return undefined;
  const detail = 'If-Match is missing; expected the ETag of the version that was read, or *';
  throw new HttpRefusal({ status: 428, code: 'PRECONDITION_MISSING', detail });
}
