import type { Cancel, Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import type { AuditLog } from './audit-log.ts';
import type { ChainedEvent } from './audit-chain.ts';
import type { ExportCursor } from './export-cursor.ts';

interface EventExporterOptions {
  readonly audit: Pick<AuditLog, 'lastId' | 'readLinks'>;
  /** Name of the destination, for the log. */
  readonly place: string;
  readonly cursor: ExportCursor;
  /** Sends events; resolves when the destination has accepted them. The signal cancels it. */
  readonly send: (events: readonly ChainedEvent[], signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  readonly clock: Clock;
}

// Polling interval for new events.
const POLL_INTERVAL_MS = 1000;
const EVENTS_AT_ONCE = 500;
const FIRST_PAUSE_MS = 2000;
const MAXIMUM_PAUSE_MS = 300_000;

/** Export state of one destination. */
export interface ExportStatus {
  readonly place: string;
  /** UNKNOWN: nothing sent since the start. */
  readonly state: 'UNKNOWN' | 'TAKING' | 'FAILING';
  /** Start of the state, in milliseconds since the epoch; absent while UNKNOWN. */
  readonly sinceMs?: number | undefined;
  /** Last accepted event, including those before the start; 0: none. */
  readonly lastEventId: number;
  /** Time of the last acceptance, in milliseconds since the epoch; absent: none since the start. */
  readonly lastTakenAtMs?: number | undefined;
  /** Number of stored events not yet accepted. */
  readonly waitingEvents: number;
  /** Number of failed attempts since the start. */
  readonly failures: number;
  /** Cause of the last failed attempt; kept after a recovery. */
  readonly lastError?: string | undefined;
  /** Time of the next attempt, in milliseconds since the epoch; only while FAILING. */
  readonly nextAttemptAtMs?: number | undefined;
}

/**
 * Exports the stored events to a destination, in order and at least once: the cursor advances when the destination has accepted
 * them. While the destination fails, events wait in the store; events removed by retention before the export are counted.
 */
export class EventExporter implements Startable {
  readonly #options: EventExporterOptions;
  readonly #stopping = new AbortController();
  #cancelNext: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Pause before the next attempt; 0: the last attempt succeeded. */
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

  /** Cancels the current attempt; events not yet accepted are exported after the next start. */
  async stop(): Promise<void> {
    this.#cancelNext?.();
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns the export state; sends nothing. */
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
      this.#schedule(count < EVENTS_AT_ONCE ? POLL_INTERVAL_MS : 0);
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
      // Logged once: the failure can last for days.
      logger.warn('audit.exportFailed', { place, reason });
    }
    this.#pauseMs = Math.min(MAXIMUM_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
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
    const events = audit.readLinks({ after, limit: EVENTS_AT_ONCE });
    const last = events.at(-1);
    if (last === undefined) return 0;
    await send(events, this.#stopping.signal);
    cursor.write(last.id);
    const missed = last.id - after - events.length;
    // Before the first export, missing events were removed by retention long ago.
    if (missed > 0 && after > 0) logger.warn('audit.exportMissed', { place, count: missed });
    return events.length;
  }
}
