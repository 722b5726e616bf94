import { ServiceRefused } from '../opcua-errors.ts';
import type { ServerSession } from './server-session.ts';

/** The consequence of a failed activation. */
export type ActivationFailure = 'TRY_AGAIN' | 'SESSION_IS_GONE';

// A server that hangs up instead of reporting that it has no such session must not keep the gateway out for ever.
const MOST_FAILURES = 3;

// These say nothing about the session.
const PASSING_STATUSES: ReadonlySet<string> = new Set([
  'BadServerHalted',
  'BadShutdown',
  'BadTimeout',
  'BadTooManyOperations',
  'BadTcpServerTooBusy',
]);

/**
 * Keeps the one session of a server from one connection to the next, until it is known to be gone. A server keeps a
 * session whose connection was lost for its whole time-out, and has room for few of them.
 */
export class SessionKeeper {
  #session: ServerSession | undefined;
  #failures = 0;

  /** The session that the server may still have. */
  get session(): ServerSession | undefined {
    return this.#session;
  }

  /** Keeps a session that the server has just activated. */
  keep(session: ServerSession): void {
    this.#session = session;
    this.#failures = 0;
  }

  /** Records that the server no longer has the session. */
  forget(): void {
    this.#session = undefined;
  }

  /** Decides from a failed activation whether the session still exists, and forgets one that is gone. */
  takeFailure(error: unknown): ActivationFailure {
    this.#failures += 1;
    const isAnswer = error instanceof ServiceRefused && !PASSING_STATUSES.has(error.status);
    if (isAnswer || this.#failures >= MOST_FAILURES) this.forget();
    return isAnswer ? 'SESSION_IS_GONE' : 'TRY_AGAIN';
  }
}
