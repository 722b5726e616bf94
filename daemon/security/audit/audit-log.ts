import type { Cancel, Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import { AnnouncementQueue } from './announcements.ts';
import type { Announcement } from './announcements.ts';
import { toAuditEvent } from './audit-event.ts';
import type { AuditDetail, AuditEvent, AuditReport } from './audit-event.ts';
import type { AuditEventName } from '../../interface/security/audit-event.ts';
import type {
  AuditFilter,
  AuditPage,
  AuditStatus,
  AuditStore,
  ChainPage,
  ChainRange,
} from './audit-store.ts';
import { FloodLimiter } from './flood-limiter.ts';

/** Maximum time until an event is on disk, also for the loss of power, unless the disk fails. */
export const FLUSH_INTERVAL_MS = 1000;
/** Number of waiting events that are stored without waiting for the interval. */
export const FLUSH_THRESHOLD = 200;
/** Maximum number of events that wait while the disk fails: a few megabytes. */
export const MAXIMUM_WAITING = 2000;
/** Interval at which events that were only counted are reported. */
export const SUPPRESSED_INTERVAL_MS = 10_000;
/** Interval at which the whole chain is walked along, besides at the start. */
const INSPECTION_INTERVAL_MS = 86_400_000;

// Nobody was promised anything: they may wait for the interval.
const UNPROMISED: ReadonlySet<AuditEventName> = new Set([
  'ACCESS_REFUSED',
  'LOCAL_ACCESS',
  'EVENTS_SUPPRESSED',
  'EVENTS_LOST',
  'AUDIT_BROKEN',
]);

// Token reuse means theft or a broken client; a broken chain, that the store was changed by another hand.
const LEVELS: ReadonlyMap<AuditEventName, 'warn' | 'error'> = new Map([
  ['TOKEN_REPLAYED', 'warn'],
  ['EVENTS_LOST', 'warn'],
  ['AUDIT_BROKEN', 'error'],
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
  // Of the waiting events those whose announcement is stored: they are not lost with the process.
  #announcedWaiting = 0;
  readonly #announcements: AnnouncementQueue;
  /** Ids of announcements that the events which wait follow. */
  #settled = new Set<number>();
  #lost = 0;
  #failingSinceMs: number | undefined;
  /** Why the store took no events the last time; undefined: it took them. */
  #failure: unknown;
  #lostEvents = 0;
  #isStopped = false;
  #flushDueMs = Infinity;
  #cancelFlush: Cancel | undefined;
  // Stores the events of this turn.
  #group: Promise<void> | undefined;
  #cancelSeal: Cancel | undefined;
  #cancelSummary: Cancel | undefined;
  #cancelInspection: Cancel | undefined;

  constructor({ store, clock, logger }: AuditLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#limiter = new FloodLimiter(clock);
    this.#announcements = new AnnouncementQueue(clock, (announced) => this.#storeAnnouncements(announced));
  }

  /**
   * Records an event; never throws and never waits for the disk. After `stop` it is only logged.
   *
   * @param announcement what announced it, if something did
   */
  record(report: AuditReport, announcement?: Announcement): void {
    try {
      if (this.#limiter.admit(report)) this.#keep(report, announcement);
      else this.#scheduleSummary();
    } catch (error) {
      this.#reportDefect(error);
    }
  }

  /**
   * Stores what is about to be done, before it is: a process that ends in between records it at its next start, with these events.
   *
   * @returns what to give to {@link settle} once its events are recorded
   * @throws {StoreFailure} when the store takes no events: it is not to be done then
   */
  announce(reports: readonly AuditReport[]): Promise<Announcement> {
    const timeMs = this.#clock.epochMs();
    return this.#announcements.add(reports.map((report) => toAuditEvent(report, timeMs)));
  }

  /** Ends an announcement: its events are recorded, or there are none. */
  settle({ id }: Announcement): void {
    if (this.#isStopped) return;
    this.#settled.add(id);
    this.#scheduleFlush();
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

  /** Returns whether the recorded events are whole, and the store takes more. */
  status(): AuditStatus {
    const isFailing = this.#failingSinceMs !== undefined;
    return {
      breaks: this.#store.listBreaks(),
      failingSinceMs: this.#failingSinceMs,
      waitingEvents: isFailing ? this.#waiting.length : 0,
      lostEvents: this.#lostEvents,
    };
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

  /** Records what the process before could not, and begins to look for breaks of the chain. */
  start(): Promise<void> {
    this.#lost += this.#store.unstored;
    this.#lostEvents += this.#store.unstored;
    for (const { id, events } of this.#store.listAnnouncements()) {
      this.#waiting.push(...events);
      this.#announcedWaiting += events.length;
      this.#settled.add(id);
      for (const event of events) this.#log(event);
    }
    this.#flush();
    this.#seal();
    void this.#inspect();
    return Promise.resolve();
  }

  /** Stores what waits. Events of parts that stop later are not stored, so this one is to stop after them. */
  stop(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#cancelSummary?.();
    this.#cancelInspection?.();
    this.#summarise();
    this.#isStopped = true;
    this.#flush();
    this.#cancelFlush?.();
    this.#seal();
    const count = this.#waiting.length + this.#lost;
    if (count > 0) this.#logger.error('audit.eventsLost', { count });
    return Promise.resolve();
  }

  get #isFailing(): boolean {
    return this.#failingSinceMs !== undefined;
  }

  #keep(report: AuditReport, announcement?: Announcement): void {
    const event = toAuditEvent(report, this.#clock.epochMs());
    if (!this.#isStopped) {
      // More than a turn of the event loop leaves time for.
      if (this.#waiting.length >= MAXIMUM_WAITING && !this.#isFailing) this.#flush();
      if (this.#waiting.length < MAXIMUM_WAITING) {
        this.#waiting.push(event);
        if (announcement !== undefined) this.#announcedWaiting += 1;
      } else {
        this.#lost += 1;
        this.#lostEvents += 1;
      }
      if (this.#isFailing) this.#noteUnstored();
      this.#scheduleFlush();
      if (!UNPROMISED.has(event.event) && !this.#isFailing) this.#group ??= this.#storeGroup();
    }
    this.#log(event);
  }

  #log({ timeMs: _timeMs, event: auditEvent, ...fields }: AuditEvent): void {
    this.#logger[LEVELS.get(auditEvent) ?? 'info']('audit', { auditEvent, ...fields });
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

  #storeAnnouncements(announced: readonly (readonly AuditEvent[])[]): readonly number[] {
    // What was done before comes first: nothing more is done while the store does not take that.
    if (this.#isFailing) this.#flush();
    if (this.#isFailing && this.#waiting.length > 0) throw this.#failure;
    try {
      const ids = this.#store.announce(announced);
      this.#noteRecovery();
      return ids;
    } catch (error) {
      this.#reportFailure(error);
      throw error;
    }
  }

  /** Keeps the number of events that would be lost with the process. */
  #noteUnstored(): void {
    this.#store.noteUnstored(this.#waiting.length - this.#announcedWaiting + this.#lost);
  }

  async #storeGroup(): Promise<void> {
    await this.#clock.nextTurn();
    this.#group = undefined;
    this.#flush();
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#flushDueMs = Infinity;
    const { fault } = this.#store;
    const isNothing = this.#waiting.length === 0 && this.#settled.size === 0 && this.#lost === 0;
    if (isNothing && fault === undefined) return;
    const broken = fault === undefined ? [] : [this.#createEvent('AUDIT_BROKEN', { fault })];
    const gap = this.#lost === 0 ? [] : [this.#createEvent('EVENTS_LOST', { count: this.#lost })];
    try {
      this.#store.append([...broken, ...this.#waiting, ...gap], this.#settled);
    } catch (error) {
      this.#reportFailure(error);
      this.#noteUnstored();
      if (!this.#isStopped) this.#scheduleFlush();
      return;
    }
    this.#waiting = [];
    this.#announcedWaiting = 0;
    this.#settled = new Set();
    this.#lost = 0;
    this.#store.noteUnstored(0);
    this.#cancelSeal ??= this.#clock.schedule(FLUSH_INTERVAL_MS, () => this.#seal());
    for (const event of [...broken, ...gap]) this.#log(event);
    this.#noteRecovery();
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

  #createEvent(event: AuditEventName, detail: AuditDetail): AuditEvent {
    return toAuditEvent({ event, outcome: 'FAILURE', detail }, this.#clock.epochMs());
  }

  /** Walks along the stored chain, so that a break is recorded before the events around it make room for others. */
  async #inspect(): Promise<void> {
    this.#cancelInspection = undefined;
    try {
      for (const portions = this.#store.inspect(); ;) {
        await this.#clock.nextTurn();
        if (this.#isStopped) return;
        if (portions.next().done === true) break;
      }
      this.#flush();
    } catch (error) {
      this.#reportDefect(error);
    }
    this.#cancelInspection = this.#clock.schedule(INSPECTION_INTERVAL_MS, () => void this.#inspect());
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) this.#logger.error('audit.storeFailed', { error });
    this.#failingSinceMs ??= this.#clock.epochMs();
    this.#failure = error;
  }

  #noteRecovery(): void {
    if (this.#isFailing) this.#logger.info('audit.storeRecovered');
    this.#failingSinceMs = undefined;
    this.#failure = undefined;
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
