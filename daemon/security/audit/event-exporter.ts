import type { Cancel, Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import type { AuditLog } from './audit-log.ts';
import type { ChainedEvent } from './audit-chain.ts';
import type { ExportCursor } from './export-cursor.ts';

interface EventExporterOptions {
  readonly audit: Pick<AuditLog, 'lastId' | 'readChain'>;
  /** The place that the events go to, for the log. */
  readonly place: string;
  readonly cursor: ExportCursor;
  /** Hands events over; resolves when the place has taken them. The signal ends it. */
  readonly send: (events: readonly ChainedEvent[], signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  readonly clock: Clock;
}

// How often it looks for new events.
const LOOK_INTERVAL_MS = 1000;
const EVENTS_AT_ONCE = 500;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;

/** How far another place has taken the events. */
export interface ExportStatus {
  readonly place: string;
  /** UNKNOWN: nothing was sent since the start. */
  readonly state: 'UNKNOWN' | 'TAKING' | 'FAILING';
  /** Milliseconds since the epoch at which the state began; absent while it is UNKNOWN. */
  readonly sinceMs?: number | undefined;
  /** The last event that was taken, also before the start; 0: none. */
  readonly lastEventId: number;
  /** Milliseconds since the epoch at which it was taken; absent: not since the start. */
  readonly lastTakenAtMs?: number | undefined;
  /** Number of events that are stored and not yet taken. */
  readonly waitingEvents: number;
  /** Attempts that failed since the start. */
  readonly failures: number;
  /** Why the last attempt failed that did; kept when the place is back. */
  readonly lastError?: string | undefined;
  /** Milliseconds since the epoch of the next attempt; absent unless it is FAILING. */
  readonly nextAttemptAtMs?: number | undefined;
}

/**
 * Hands the stored events over to another place, in their order and each at least once: how far it got is remembered when the
 * place has taken them. While it is away the events wait in the store; those that leave the store meanwhile are counted.
 */
export class EventExporter implements Startable {
  readonly #options: EventExporterOptions;
  readonly #stopping = new AbortController();
  #cancelNext: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Before the next attempt; 0: the last one did not fail. */
  #pauseMs = 0;
  #sinceMs: number | undefined;
  #lastTakenAtMs: number | undefined;
  #lastError: string | undefined;
  #nextAttemptAtMs: number | undefined;
  #failures = 0;

  constructor(options: EventExporterOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    this.#schedule(0);
    return Promise.resolve();
  }

  /** Ends what is under way; what was not taken is handed over after the next start. */
  async stop(): Promise<void> {
    this.#cancelNext?.();
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns how far the place has taken the events, without asking it. */
  status(): ExportStatus {
    const { audit, cursor, place } = this.#options;
    const lastEventId = cursor.read();
    return {
      place,
      state: this.#state,
      sinceMs: this.#sinceMs,
      lastEventId,
      lastTakenAtMs: this.#lastTakenAtMs,
      waitingEvents: Math.max(0, audit.lastId - lastEventId),
      failures: this.#failures,
      lastError: this.#lastError,
      nextAttemptAtMs: this.#nextAttemptAtMs,
    };
  }

  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelNext = this.#options.clock.schedule(delayMs, () => {
      this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    try {
      const count = await this.#sendNext();
      if (count > 0) this.#noteTaken();
      this.#schedule(count < EVENTS_AT_ONCE ? LOOK_INTERVAL_MS : 0);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#noteFailure(messageOf(error));
      this.#schedule(this.#pauseMs);
    }
  }

  #noteTaken(): void {
    const { logger, place, clock } = this.#options;
    const nowMs = clock.epochMs();
    if (this.#state !== 'TAKING') this.#sinceMs = nowMs;
    if (this.#state === 'FAILING') logger.info('audit.exportRecovered', { place });
    this.#pauseMs = 0;
    this.#lastTakenAtMs = nowMs;
    this.#nextAttemptAtMs = undefined;
  }

  #noteFailure(reason: string): void {
    const { logger, place, clock } = this.#options;
    const nowMs = clock.epochMs();
    if (this.#state !== 'FAILING') {
      this.#sinceMs = nowMs;
      // Once: it may be away for days.
      logger.warn('audit.exportFailed', { place, reason });
    }
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
    this.#failures += 1;
    this.#lastError = reason;
    this.#nextAttemptAtMs = nowMs + this.#pauseMs;
  }

  get #state(): ExportStatus['state'] {
    if (this.#pauseMs > 0) return 'FAILING';
    return this.#lastTakenAtMs === undefined ? 'UNKNOWN' : 'TAKING';
  }

  async #sendNext(): Promise<number> {
    const { audit, cursor, send, logger, place } = this.#options;
    const after = cursor.read();
    if (audit.lastId <= after) return 0;
    const { events } = audit.readChain({ after, limit: EVENTS_AT_ONCE });
    const last = events.at(-1);
    if (last === undefined) return 0;
    await send(events, this.#stopping.signal);
    cursor.write(last.id);
    const missed = last.id - after - events.length;
    // Before the first time they are those that had to make room long ago.
    if (missed > 0 && after > 0) logger.warn('audit.exportMissed', { place, count: missed });
    return events.length;
  }
}
