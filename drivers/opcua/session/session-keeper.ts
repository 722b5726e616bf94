import { ServiceRefused } from '../opcua-errors.ts';
import type { ServerSession } from './server-session.ts';

/** Consequence of a failed activation. */
export type ActivationFailure = 'TRY_AGAIN' | 'SESSION_IS_GONE';

// A server may close the connection instead of reporting that the session is gone; that must not block reconnecting
// forever.
const MAXIMUM_FAILURES = 3;

// These say nothing about the session.
const PASSING_STATUSES: ReadonlySet<string> = new Set([
  'BadServerHalted',
  'BadShutdown',
  'BadTimeout',
  'BadTooManyOperations',
  'BadTcpServerTooBusy',
]);

/**
 * Stores the single session of a server between connections, until it is known to be gone. A server keeps the session
 * of a lost connection for its full timeout, and supports few sessions.
 */
export class SessionKeeper {
  #session: ServerSession | undefined;
  #failures = 0;

  /** Session that the server may still have. */
  get session(): ServerSession | undefined {
    return this.#session;
  }

  /** Stores a session that was just activated. */
  keep(session: ServerSession): void {
    this.#session = session;
    this.#failures = 0;
  }

  /** Records that the server no longer has the session. */
  forget(): void {
    this.#session = undefined;
  }

  /** Decides from a failed activation whether the session still exists, and forgets it if not. */
  classifyFailure(error: unknown): ActivationFailure {
    this.#failures += 1;
    const isAnswer = error instanceof ServiceRefused && !PASSING_STATUSES.has(error.status);
    if (isAnswer || this.#failures >= MAXIMUM_FAILURES) this.forget();
    return isAnswer ? 'SESSION_IS_GONE' : 'TRY_AGAIN';
  }
}
