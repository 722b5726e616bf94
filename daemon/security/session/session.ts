import { hash } from 'node:crypto';

import type { RandomSource } from '../../base/random.ts';
import type { Identity } from '../identity/identity.ts';
import { findDuty } from '../identity/pending-duty.ts';
import type { PendingDuty } from '../identity/pending-duty.ts';

/** How the session was opened; a pending duty locks only sessions opened by password. */
export type LoginMethod = 'password' | 'certificate';

/** Where a login came from. */
export interface SessionOrigin {
  /** Address of the client, or the one that a trusted proxy reports. */
  readonly remoteAddress: string;
  /** The port of the gateway; 0 for the socket on the machine itself. */
  readonly port: number;
}

/** Proof of an identity by cookie. Only its store changes it; callers that need the present state ask the store again. */
export interface Session {
  /** Value of the cookie: 256 random bits, base64url. */
  readonly id: string;
  /** Names the session to others than its owner; the cookie cannot be found from it. */
  readonly handle: string;
  /** 256 random bits, base64url; constant for the life of the session. */
  readonly xsrfToken: string;
  readonly identityId: string;
  readonly identityName: string;
  /** The session is void when the identity has another revision. */
  readonly credentialsRevision: number;
  readonly method: LoginMethod;
  /** Where the login came from. */
  readonly origin: SessionOrigin;
  /** Monotonic time, so that setting the system clock neither ends nor prolongs a session. */
  readonly createdAtMs: number;
  /** Monotonic time of the last request that used the session. */
  readonly lastUsedMs: number;
}

/** Time after login at which a session ends even when it is in constant use. */
export const ABSOLUTE_SESSION_LIMIT_MS = 12 * 60 * 60 * 1000;

// OWASP asks for at least 128 bits; more costs nothing.
const RANDOM_BYTES = 32;

interface NewSession {
  readonly identity: Identity;
  readonly method: LoginMethod;
  readonly origin: SessionOrigin;
  /** Monotonic time. */
  readonly nowMs: number;
}

/** Creates a session with a new id, handle and XSRF token; it is in no store yet. */
export function createSession(
  { identity, method, origin, nowMs }: NewSession,
  random: RandomSource,
): Session {
  const id = random.bytes(RANDOM_BYTES).toString('base64url');
  return Object.freeze({
    id,
    handle: createHandle(id),
    xsrfToken: random.bytes(RANDOM_BYTES).toString('base64url'),
    identityId: identity.id,
    identityName: identity.name,
    credentialsRevision: identity.credentialsRevision,
    method,
    origin,
    createdAtMs: nowMs,
    lastUsedMs: nowMs,
  });
}

/** Returns 64 bits of a digest: of 256 random bits nothing can be found from it, not even by trying. */
function createHandle(id: string): string {
  return hash('sha256', `handle of the session ${id}`, 'hex').slice(0, 16);
}

/** Returns the moment at which a session ends unless it is used again, in the time of its clock. */
export function findExpiry(session: Session, inactivityIntervalMs: number): number {
  return Math.min(session.lastUsedMs + inactivityIntervalMs, session.createdAtMs + ABSOLUTE_SESSION_LIMIT_MS);
}

/** Returns whether the session was idle for the inactivity interval, or has reached the absolute limit. */
export function isExpired(session: Session, nowMs: number, inactivityIntervalMs: number): boolean {
  return nowMs >= findExpiry(session, inactivityIntervalMs);
}

/** Returns whether the session belongs to this identity: the same one, with the credentials of the login. */
export function isSessionOf(session: Session, identity: Identity): boolean {
  return session.identityId === identity.id && session.credentialsRevision === identity.credentialsRevision;
}

/** Returns what has to be done before the session can be used for anything else, given the present identity. */
export function findDutyIn({ method }: Session, identity: Identity): PendingDuty | undefined {
  return method === 'password' ? findDuty(identity) : undefined;
}

/** Compares XSRF tokens in a time that reveals nothing about the token of the session. */
export function isXsrfTokenOf(session: Session, xsrfToken: string | undefined): boolean {
  const { xsrfToken: expected } = session;
  if (xsrfToken?.length !== expected.length) return false;
  // On each request, two buffers for `timingSafeEqual` would cost as much as finding the session.
  let difference = 0;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ xsrfToken.charCodeAt(index);
  }
  return difference === 0;
}
