import type { Cancel, Clock } from '../../base/clock.ts';
import { Unavailable } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { SessionStore } from './session-store.ts';
import { isExpired } from './session.ts';
import type { Session } from './session.ts';

/** Maximum sessions of all identities together. */
export const MAXIMUM_SESSIONS = 1000;

/** Maximum sessions of one identity: enough for all screens of a plant with a shared login. */
export const MAXIMUM_SESSIONS_PER_IDENTITY = 50;

const SWEEP_INTERVAL_MS = 30_000;

interface MemorySessionStoreOptions {
  readonly clock: Clock;
  /** Read at each use, so that a new setting applies to open sessions too. */
  readonly inactivityIntervalMs: () => number;
  /** Called after the end of a session, for any reason. */
  readonly onEnded?: ((id: string) => void) | undefined;
  readonly maximumSessions?: number | undefined;
  readonly maximumSessionsPerIdentity?: number | undefined;
}

// Mutable, because each request updates the time; a new object for each request would be garbage.
type OpenSession = Session & { lastUsedMs: number };

/** In-memory session store; between `start` and `stop`, expired sessions are removed periodically. */
export class MemorySessionStore implements SessionStore, Startable {
  readonly #clock: Clock;
  readonly #inactivityIntervalMs: () => number;
  readonly #onEnded: ((id: string) => void) | undefined;
  readonly #maximumSessions: number;
  readonly #maximumSessionsPerIdentity: number;
  // A plain lookup by id leaks nothing useful: its time depends on a seeded hash of the id, which does not reveal 256
  // random bits.
  readonly #byId = new Map<string, OpenSession>();
  readonly #idsByIdentity = new Map<string, Set<string>>();
  #cancelSweep: Cancel | undefined;

  constructor(options: MemorySessionStoreOptions) {
    this.#clock = options.clock;
    this.#inactivityIntervalMs = options.inactivityIntervalMs;
    this.#onEnded = options.onEnded;
    this.#maximumSessions = options.maximumSessions ?? MAXIMUM_SESSIONS;
    this.#maximumSessionsPerIdentity = options.maximumSessionsPerIdentity ?? MAXIMUM_SESSIONS_PER_IDENTITY;
  }

  add(session: Session): void {
    this.#ensureCapacity(session.identityId);
    this.#byId.set(session.id, { ...session });
    const ids = this.#idsByIdentity.get(session.identityId) ?? new Set();
    this.#idsByIdentity.set(session.identityId, ids.add(session.id));
  }

  find(id: string): Session | undefined {
    return this.#findOpen(id);
  }

  list(): readonly Session[] {
    this.#sweep();
    return [...this.#byId.values()];
  }

  #findOpen(id: string, nowMs = this.#clock.monotonicMs()): OpenSession | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || !this.#isExpired(session, nowMs)) return session;
    this.remove(id);
    return undefined;
  }

  touch(id: string): void {
    const nowMs = this.#clock.monotonicMs();
    const session = this.#findOpen(id, nowMs);
    if (session !== undefined) session.lastUsedMs = nowMs;
  }

  remove(id: string): void {
    const session = this.#byId.get(id);
    if (session === undefined) return;
    this.#byId.delete(id);
    const ids = this.#idsByIdentity.get(session.identityId);
    ids?.delete(id);
    if (ids?.size === 0) this.#idsByIdentity.delete(session.identityId);
    this.#onEnded?.(id);
  }

  removeAllOf(identityId: string): void {
    for (const id of this.#idsByIdentity.get(identityId) ?? []) this.remove(id);
  }

  count(): number {
    this.#sweep();
    return this.#byId.size;
  }

  start(): Promise<void> {
    this.#scheduleSweep();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    return Promise.resolve();
  }

  #ensureCapacity(identityId: string): void {
    const isFull = () => this.#byId.size >= this.#maximumSessions;
    if (isFull()) this.#sweep();
    const ownCount = this.#idsByIdentity.get(identityId)?.size ?? 0;
    if (isFull() || ownCount >= this.#maximumSessionsPerIdentity) this.#removeLongestIdleOf(identityId);
    if (!isFull()) return;
    throw new Unavailable({
      code: 'SESSION_LIMIT_REACHED',
      detail: 'too many open sessions',
      retryAfterSeconds: SWEEP_INTERVAL_MS / 1000,
    });
  }

  #removeLongestIdleOf(identityId: string): void {
    const ids = this.#idsByIdentity.get(identityId) ?? new Set();
    const sessions = [...ids].flatMap((id) => this.#byId.get(id) ?? []);
    const longestIdle = sessions.sort((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
    if (longestIdle !== undefined) this.remove(longestIdle.id);
  }

  #isExpired(session: Session, nowMs: number): boolean {
    return isExpired(session, nowMs, this.#inactivityIntervalMs());
  }

  #sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const session of this.#byId.values()) {
      if (this.#isExpired(session, nowMs)) this.remove(session.id);
    }
  }

  #scheduleSweep(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = this.#clock.schedule(SWEEP_INTERVAL_MS, () => {
      this.#sweep();
      this.#scheduleSweep();
    });
  }
}
