import type { Cancel, Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import { toAuditEvent } from './audit-event.ts';
import type { AuditEvent, AuditEventName, AuditReport } from './audit-event.ts';
import type { AuditFilter, AuditPage, AuditStore, ChainPage, ChainRange } from './audit-store.ts';
import { FloodLimiter } from './flood-limiter.ts';

/** Maximum time until an event is on disk, also for the loss of power, unless the disk fails. */
export const FLUSH_INTERVAL_MS = 1000;
/** Number of waiting events that are stored without waiting for the interval. */
export const FLUSH_THRESHOLD = 200;
/** Maximum number of events that wait while the disk fails: a few megabytes. */
export const MAXIMUM_WAITING = 2000;
/** Interval at which events that were only counted are reported. */
export const SUPPRESSED_INTERVAL_MS = 10_000;

// Nobody was promised anything: they may wait for the interval.
const UNPROMISED: ReadonlySet<AuditEventName> = new Set([
  'ACCESS_REFUSED',
  'LOCAL_ACCESS',
  'EVENTS_SUPPRESSED',
  'EVENTS_LOST',
]);

interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records what happens: as a log line with event `audit` at once, and in the store in the next turn of the event loop, with
 * all others of this turn; what only was refused within a second. Within that second all is safe against loss of power.
 *
 * What was done is always recorded. Of a flood of refusals and failures from one source only some are recorded one by one,
 * see `FloodLimiter`; how many were not, whose they were and when is recorded as `EVENTS_SUPPRESSED`. Events that the store could not take in time are counted as `EVENTS_LOST`; they are in the log.
 */
export class AuditLog implements Startable {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limiter: FloodLimiter;
  #waiting: AuditEvent[] = [];
  #lost = 0;
  #isFailing = false;
  #isStopped = false;
  #flushDueMs = Infinity;
  #cancelFlush: Cancel | undefined;
  // Stores the events of this turn.
  #group: Promise<void> | undefined;
  #cancelSeal: Cancel | undefined;
  #cancelSummary: Cancel | undefined;

  constructor({ store, clock, logger }: AuditLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#limiter = new FloodLimiter(clock);
  }

  /** Records an event; never throws and never waits for the disk. After `stop` it is only logged. */
  record(report: AuditReport): void {
    try {
      if (this.#limiter.admit(report)) this.#keep(report);
      else this.#scheduleSummary();
    } catch (error) {
      this.#reportDefect(error);
    }
  }

  /**
   * Waits until the events that were recorded so far and that an answer promises outlive the process.
   *
   * @returns undefined when there are none to wait for. It never rejects: while the disk fails nobody waits for it
   */
  whenStored(): Promise<void> | undefined {
    return this.#group;
  }

  /** Id of the newest stored event. */
  get lastId(): number {
    return this.#store.lastId;
  }

  /** Returns stored events, with all that were recorded before, as far as the disk accepted them. */
  query(filter: AuditFilter): AuditPage {
    this.#flush();
    return this.#store.query(filter);
  }

  /** Returns a part of the chain of events, with all that were recorded before, as far as the disk accepted them. */
  readChain(range: ChainRange): ChainPage {
    this.#flush();
    this.#seal();
    return this.#store.readChain(range);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Stores what waits. Events of parts that stop later are not stored, so this one is to stop after them. */
  stop(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#cancelSummary?.();
    this.#summarise();
    this.#isStopped = true;
    this.#flush();
    this.#cancelFlush?.();
    this.#seal();
    const count = this.#waiting.length + this.#lost;
    if (count > 0) this.#logger.error('audit.events-lost', { count });
    return Promise.resolve();
  }

  #keep(report: AuditReport): void {
    const event = toAuditEvent(report, this.#clock.epochMs());
    if (!this.#isStopped) {
      // More than a turn of the event loop leaves time for.
      if (this.#waiting.length >= MAXIMUM_WAITING && !this.#isFailing) this.#flush();
      if (this.#waiting.length < MAXIMUM_WAITING) this.#waiting.push(event);
      else this.#lost += 1;
      this.#scheduleFlush();
      if (!UNPROMISED.has(event.event) && !this.#isFailing) this.#group ??= this.#storeGroup();
    }
    this.#log(event);
  }

  #log({ timeMs: _timeMs, event: auditEvent, ...fields }: AuditEvent): void {
    // A token that is used again was stolen, or a client is broken: somebody should look.
    const isAlarming = auditEvent === 'TOKEN_REPLAYED' || auditEvent === 'EVENTS_LOST';
    this.#logger[isAlarming ? 'warn' : 'info']('audit', { auditEvent, ...fields });
  }

  #scheduleFlush(): void {
    // While the disk fails a full buffer is no reason to try more often.
    const isUrgent = this.#waiting.length >= FLUSH_THRESHOLD && !this.#isFailing;
    const nowMs = this.#clock.monotonicMs();
    const dueMs = nowMs + (isUrgent ? 0 : FLUSH_INTERVAL_MS);
    if (dueMs >= this.#flushDueMs) return;
    this.#cancelFlush?.();
    this.#flushDueMs = dueMs;
    this.#cancelFlush = this.#clock.schedule(dueMs - nowMs, () => this.#flush());
  }

  async #storeGroup(): Promise<void> {
    await this.#clock.nextTurn();
    this.#group = undefined;
    this.#flush();
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#flushDueMs = Infinity;
    if (this.#waiting.length === 0) return;
    const gap = this.#lost === 0 ? [] : [this.#createGap()];
    try {
      this.#store.append([...this.#waiting, ...gap]);
    } catch (error) {
      this.#reportFailure(error);
      if (!this.#isStopped) this.#scheduleFlush();
      return;
    }
    this.#waiting = [];
    this.#lost = 0;
    this.#cancelSeal ??= this.#clock.schedule(FLUSH_INTERVAL_MS, () => this.#seal());
    for (const event of gap) this.#log(event);
    if (this.#isFailing) this.#logger.info('audit.store-recovered');
    this.#isFailing = false;
  }

  #seal(): void {
    this.#cancelSeal?.();
    this.#cancelSeal = undefined;
    try {
      this.#store.seal();
    } catch (error) {
      this.#reportFailure(error);
      if (!this.#isStopped) this.#cancelSeal = this.#clock.schedule(FLUSH_INTERVAL_MS, () => this.#seal());
    }
  }

  #createGap(): AuditEvent {
    const detail = { count: this.#lost };
    return toAuditEvent({ event: 'EVENTS_LOST', outcome: 'FAILURE', detail }, this.#clock.epochMs());
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) this.#logger.error('audit.store-failed', { error });
    this.#isFailing = true;
  }

  #scheduleSummary(): void {
    if (this.#isStopped) return;
    this.#cancelSummary ??= this.#clock.schedule(SUPPRESSED_INTERVAL_MS, () => this.#summarise());
  }

  #summarise(): void {
    this.#cancelSummary = undefined;
    for (const { event, outcome, identity, address, count, fromMs, toMs } of this.#limiter.takeSuppressed()) {
      // Not limited itself: there is one for each kind and source in an interval at most.
      const detail = { event, count, fromMs, toMs };
      this.#keep({ event: 'EVENTS_SUPPRESSED', outcome, identity, address, detail });
    }
  }

  #reportDefect(error: unknown): void {
    try {
      this.#logger.error('audit.recordFailed', { reason: messageOf(error) });
    } catch {
      // With the log failing as well, nothing is left to report to, and the caller's work has to go on.
    }
  }
}
