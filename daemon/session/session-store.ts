import type { Session } from './session.ts';

/** Keeps the open sessions. An expired session is never handed out. */
export interface SessionStore {
  /**
   * Opens a session. An identity at its limit loses the session of its own that was idle longest; the sessions of
   * others are never touched.
   *
   * @throws {Unavailable} `SESSION_LIMIT_REACHED` when all places are taken by other identities
   */
  add(session: Session): void;
  find(id: string): Session | undefined;
  /** Says that the session was used now. */
  touch(id: string): void;
  /** Ends a session; does nothing when there is none. */
  remove(id: string): void;
  /** Ends all sessions of an identity. */
  removeAllOf(identityId: string): void;
  /** Number of open sessions. */
  count(): number;
}
