import { randomBytes, timingSafeEqual } from 'node:crypto';

import type { Identity } from '../identity/identity.ts';

/** How the session was made; a pending password change locks only those made by password. */
export type LoginMethod = 'password' | 'certificate';

/** An identity's proof by cookie. Only its store changes it; whoever needs the present state asks the store again. */
export interface Session {
  /** Value of the cookie: 256 random bits, base64url. */
  readonly id: string;
  /** 256 random bits, base64url; stays the same as long as the session. */
  readonly xsrfToken: string;
  readonly identityId: string;
  readonly identityName: string;
  /** The session is void once the identity has another revision. */
  readonly credentialsRevision: number;
  readonly method: LoginMethod;
  /** Monotonic time, so that setting the system clock neither ends nor prolongs a session. */
  readonly createdAtMs: number;
  /** Monotonic time of the last request that the session proved. */
  readonly lastUsedMs: number;
}

/** A session ends so long after login even when it is in use all the time. */
export const ABSOLUTE_SESSION_LIMIT_MS = 12 * 60 * 60 * 1000;

// 128 is the least that contract and OWASP ask for; more costs nothing.
const RANDOM_BYTES = 32;

/** Makes a session with a new id and XSRF token; it is in no store yet. */
export function createSession(identity: Identity, method: LoginMethod, nowMs: number): Session {
  return Object.freeze({
    id: randomBytes(RANDOM_BYTES).toString('base64url'),
    xsrfToken: randomBytes(RANDOM_BYTES).toString('base64url'),
    identityId: identity.id,
    identityName: identity.name,
    credentialsRevision: identity.credentialsRevision,
    method,
    createdAtMs: nowMs,
    lastUsedMs: nowMs,
  });
}

/** Whether the session was idle for the inactivity interval, or has reached the absolute limit. */
export function isExpired(session: Session, nowMs: number, inactivityIntervalMs: number): boolean {
  return (
    nowMs - session.lastUsedMs >= inactivityIntervalMs ||
    nowMs - session.createdAtMs >= ABSOLUTE_SESSION_LIMIT_MS
  );
}

/** Whether the session still belongs to this identity: the same one, with the credentials of the login. */
export function isSessionOf(session: Session, identity: Identity): boolean {
  return session.identityId === identity.id && session.credentialsRevision === identity.credentialsRevision;
}

/** Whether the session may only be used to change the password, judged by the identity as it is now. */
export function isLocked(session: Session, identity: Identity): boolean {
  return session.method === 'password' && identity.passwordChangeNeeded;
}

/** Compares in a time that tells nothing about the token of the session. */
export function isXsrfTokenOf(session: Session, xsrfToken: string | undefined): boolean {
  if (xsrfToken === undefined) return false;
  const [expected, given] = [Buffer.from(session.xsrfToken), Buffer.from(xsrfToken)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
