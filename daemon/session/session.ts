import { timingSafeEqual } from 'node:crypto';

import type { RandomSource } from '../base/random.ts';
import type { Identity } from '../identity/identity.ts';

/** How the session was opened; a pending password change locks only sessions opened by password. */
export type LoginMethod = 'password' | 'certificate';

/** Proof of an identity by cookie. Only its store changes it; callers that need the present state ask the store again. */
export interface Session {
  /** Value of the cookie: 256 random bits, base64url. */
  readonly id: string;
  /** 256 random bits, base64url; constant for the life of the session. */
  readonly xsrfToken: string;
  readonly identityId: string;
  readonly identityName: string;
  /** The session is void when the identity has another revision. */
  readonly credentialsRevision: number;
  readonly method: LoginMethod;
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
  /** Monotonic time. */
  readonly nowMs: number;
}

/** Creates a session with a new id and XSRF token; it is in no store yet. */
export function createSession({ identity, method, nowMs }: NewSession, random: RandomSource): Session {
  return Object.freeze({
    id: random.bytes(RANDOM_BYTES).toString('base64url'),
    xsrfToken: random.bytes(RANDOM_BYTES).toString('base64url'),
    identityId: identity.id,
    identityName: identity.name,
    credentialsRevision: identity.credentialsRevision,
    method,
    createdAtMs: nowMs,
    lastUsedMs: nowMs,
  });
}

/** Returns whether the session was idle for the inactivity interval, or has reached the absolute limit. */
export function isExpired(session: Session, nowMs: number, inactivityIntervalMs: number): boolean {
  return (
    nowMs - session.lastUsedMs >= inactivityIntervalMs ||
    nowMs - session.createdAtMs >= ABSOLUTE_SESSION_LIMIT_MS
  );
}

/** Returns whether the session belongs to this identity: the same one, with the credentials of the login. */
export function isSessionOf(session: Session, identity: Identity): boolean {
  return session.identityId === identity.id && session.credentialsRevision === identity.credentialsRevision;
}

/** Returns whether the session may only be used to change the password, given the present identity. */
export function isLocked(session: Session, identity: Identity): boolean {
  return session.method === 'password' && identity.passwordChangeNeeded;
}

/** Compares XSRF tokens in a time that reveals nothing about the token of the session. */
export function isXsrfTokenOf(session: Session, xsrfToken: string | undefined): boolean {
  if (xsrfToken === undefined) return false;
  const [expected, given] = [Buffer.from(session.xsrfToken), Buffer.from(xsrfToken)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
