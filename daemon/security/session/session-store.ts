import type { Session } from './session.ts';

/** Store of open sessions. Expired sessions are never returned. */
export interface SessionStore {
  /**
   * Opens a session. At the limit of an identity, its longest idle session is ended; sessions of others are never ended.
   *
   * @throws {Unavailable} `SESSION_LIMIT_REACHED` if sessions of other identities fill the store
   */
  add(session: Session): void;
  find(id: string): Session | undefined;
  /** Lists the open sessions in login order. */
  list(): readonly Session[];
  /** Extends the session. */
  touch(id: string): void;
  /** Ends a session; no effect if it does not exist. */
  remove(id: string): void;
  /** Ends all sessions of an identity. */
  removeAllOf(identityId: string): void;
  /** Returns the number of open sessions. */
  count(): number;
}
