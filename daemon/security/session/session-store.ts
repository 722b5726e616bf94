import type { Session } from './session.ts';

/** Keeps the open sessions. An expired session is never returned. */
export interface SessionStore {
  /**
   * Opens a session. An identity at its limit loses its session that was idle longest; sessions of others are never
   * ended.
   *
   * @throws {Unavailable} `SESSION_LIMIT_REACHED` when sessions of other identities fill the store
   */
  add(session: Session): void;
  find(id: string): Session | undefined;
  /** Lists the open sessions in order of their login. */
  list(): readonly Session[];
  /** Records a use of the session. */
  touch(id: string): void;
  /** Ends a session; does nothing when it does not exist. */
  remove(id: string): void;
  /** Ends all sessions of an identity. */
  removeAllOf(identityId: string): void;
  /** Returns the number of open sessions. */
  count(): number;
}
