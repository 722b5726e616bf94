import { hash } from 'node:crypto';

import type { RandomSource } from '../../base/random.ts';
import type { Identity } from '../identity/identity.ts';
import { findRequiredAction } from '../identity/required-action.ts';
import type { RequiredAction } from '../identity/required-action.ts';

/** Login method of a session; a required action only locks password sessions. */
export type LoginMethod = 'password' | 'certificate';

/** Origin of a login. */
export interface SessionOrigin {
  /** Peer address, or the client address reported by a trusted proxy. */
  readonly remoteAddress: string;
  /** Port of the gateway; 0 for the local socket. */
  readonly port: number;
}

/** A cookie session. Only the store changes it; callers that need the current state read it again from the store. */
export interface Session {
  /** Cookie value: 256 random bits, base64url. */
  readonly id: string;
  /** Public identifier of the session; does not reveal the cookie value. */
  readonly handle: string;
  /** 256 random bits, base64url; constant for the life of the session. */
  readonly xsrfToken: string;
  readonly identityId: string;
  readonly identityName: string;
  /** The session becomes invalid when the identity has a different revision. */
  readonly credentialsRevision: number;
  readonly method: LoginMethod;
  /** Origin of the login. */
  readonly origin: SessionOrigin;
  /** Monotonic time, so that setting the system clock neither ends nor extends a session. */
  readonly createdAtMs: number;
  /** Monotonic time of the last request that used the session. */
  readonly lastUsedMs: number;
}

/** Absolute session lifetime, even in constant use. */
export const ABSOLUTE_SESSION_LIMIT_MS = 12 * 60 * 60 * 1000;

// OWASP requires at least 128 bits; more costs nothing.
const RANDOM_BYTES = 32;

interface NewSession {
  readonly identity: Identity;
  readonly method: LoginMethod;
  readonly origin: SessionOrigin;
  /** Monotonic time. */
  readonly nowMs: number;
}

/** Creates a session with a new id, handle and XSRF token; does not store it. */
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

/** Returns 64 bits of a digest, which do not reveal the 256 random bits, not even by brute force. */
function createHandle(id: string): string {
  return hash('sha256', `handle of the session ${id}`, 'hex').slice(0, 16);
}

/** Returns the monotonic expiry time of a session if it is not used. */
export function findExpiry(session: Session, inactivityIntervalMs: number): number {
  return Math.min(session.lastUsedMs + inactivityIntervalMs, session.createdAtMs + ABSOLUTE_SESSION_LIMIT_MS);
}

/** Returns true if the session was idle for the inactivity interval or has reached the absolute lifetime. */
export function isExpired(session: Session, nowMs: number, inactivityIntervalMs: number): boolean {
  return nowMs >= findExpiry(session, inactivityIntervalMs);
}

/** Returns true if the session belongs to this identity and its credentials are unchanged since the login. */
export function isSessionOf(session: Session, identity: Identity): boolean {
  return session.identityId === identity.id && session.credentialsRevision === identity.credentialsRevision;
}

/** Returns the required action of a session, given its current identity; undefined: none. */
export function findRequiredActionIn({ method }: Session, identity: Identity): RequiredAction | undefined {
  return method === 'password' ? findRequiredAction(identity) : undefined;
}

/** Compares XSRF tokens in constant time. */
export function isXsrfTokenOf(session: Session, xsrfToken: string | undefined): boolean {
  const { xsrfToken: expected } = session;
  if (xsrfToken?.length !== expected.length) return false;
  // For each request, two buffers for `timingSafeEqual` would cost as much as the session lookup.
  let difference = 0;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ xsrfToken.charCodeAt(index);
  }
  return difference === 0;
}
