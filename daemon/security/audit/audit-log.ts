import type { Cancel, Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import { finish, runInSlices } from '../../base/slices.ts';
import { AnnouncementQueue } from './announcements.ts';
import type { Announcement } from './announcements.ts';
import { DEFERRABLE, LEVELS, toAuditEvent } from './audit-event.ts';
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
import type { ChainedEvent } from './audit-chain.ts';
import { AuditRateLimiter } from './audit-rate-limiter.ts';
import { AuditUpkeep } from './audit-upkeep.ts';

/** Maximum time until an event survives a power loss, unless the disk fails. */
export const FLUSH_INTERVAL_MS = 1000;
/** Number of waiting events that triggers an immediate flush. */
export const FLUSH_THRESHOLD = 200;
/** Maximum waiting events while the disk fails: a few megabytes. */
export const MAXIMUM_WAITING = 2000;
/** Interval of reports of suppressed events. */
export const SUPPRESSED_INTERVAL_MS = 10_000;
/** Attempts to read the chain while retention changes it; the last one is not interrupted. */
const CHAIN_ATTEMPTS = 3;

interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records events: immediately as log line `audit`, and in the store with the other events of the same event loop turn. Refusals are
 * stored within a second. Within a second, all events are safe against power loss.
 *
 * Completed operations are always recorded. Refusals and failures of one source are rate-limited, see `AuditRateLimiter`; the number,
 * source and period of suppressed events is recorded as `EVENTS_SUPPRESSED`. Events that the store did not accept in time are
 * counted as `EVENTS_LOST`; the log contains them.
 */
export class AuditLog implements Startable {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limiter: AuditRateLimiter;
  #waiting: AuditEvent[] = [];
  // Waiting events with a stored announcement: they survive the process.
  #announcedWaiting = 0;
  readonly #announcements: AnnouncementQueue;
  readonly #upkeep: AuditUpkeep;
  /** Ids of announcements whose events are waiting. */
  #settled = new Set<number>();
  #lost = 0;
  #failingSinceMs: number | undefined;
  /** Cause of the last store failure; undefined if the store accepts events. */
  #failure: unknown;
  #lostEvents = 0;
  #isStopped = false;
  #flushDueMs = Infinity;
  #cancelFlush: Cancel | undefined;
  // Pending flush of the events of this turn.
  #group: Promise<void> | undefined;
  #cancelSeal: Cancel | undefined;
  #cancelSummary: Cancel | undefined;

  constructor({ store, clock, logger }: AuditLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#limiter = new AuditRateLimiter(clock);
    this.#announcements = new AnnouncementQueue(clock, (announced) => this.#storeAnnouncements(announced));
    const onFailure = (error: unknown): void => this.#reportDefect(error);
    this.#upkeep = new AuditUpkeep({ store, clock, onInspected: () => this.#flush(), onFailure });
  }

  /**
   * Records an event; never throws and never waits for the disk. After `stop`, events are only logged.
   *
   * @param announcement announcement of the operation, if any
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
   * Stores the announcement of an operation before it starts. If the process dies before the operation is settled, the next start
   * records these events.
   *
   * @returns handle for {@link settle}, to be called after the events of the operation are recorded
   * @throws {StoreFailure} if the store does not accept events; the operation must not start then
   */
  announce(reports: readonly AuditReport[]): Promise<Announcement> {
    const timeMs = this.#clock.epochMs();
    return this.#announcements.add(reports.map((report) => toAuditEvent(report, timeMs)));
  }

  /** Settles an announcement: the events of the operation are recorded, or there are none. */
  settle({ id }: Announcement): void {
    if (this.#isStopped) return;
    this.#settled.add(id);
    this.#scheduleFlush();
  }

  /**
   * Waits until all recorded events on which responses depend survive the process.
   *
   * @returns undefined if there is nothing to wait for, including while the disk fails; the promise never rejects
   */
  whenStored(): Promise<void> | undefined {
    return this.#group;
  }

  /** Id of the newest stored event. */
  get lastId(): number {
    return this.#store.lastId;
  }

  /** Returns the integrity of the recorded events and the state of the store. */
  status(): AuditStatus {
    const isFailing = this.#failingSinceMs !== undefined;
    return {
      breaks: this.#store.listBreaks(),
      failingSinceMs: this.#failingSinceMs,
      waitingEvents: isFailing ? this.#waiting.length : 0,
      lostEvents: this.#lostEvents,
    };
  }

  /** Returns stored events, including all recorded before the call if the disk accepts them. */
  query(filter: AuditFilter): Promise<AuditPage> {
    this.#flush();
    return runInSlices(this.#store.query(filter), this.#clock);
  }

  /** Returns a part of the chain, including all events recorded before the call if the disk accepts them. */
  async readChain(range: ChainRange): Promise<ChainPage> {
    for (let attempt = 1; ; attempt += 1) {
      this.#flush();
      this.#seal();
      const reading = this.#store.readChain(range);
      const page = attempt < CHAIN_ATTEMPTS ? await runInSlices(reading, this.#clock) : finish(reading);
      if (page !== undefined) return page;
    }
  }

  /** Returns events as links of the chain, in ascending order, including all recorded before the call as {@link readChain} does. */
  readLinks(range: ChainRange): readonly ChainedEvent[] {
    this.#flush();
    this.#seal();
    return this.#store.readLinks(range);
  }

  /** Records events left by the previous process and starts the inspection of the chain. */
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
    void this.#upkeep.inspect();
    return Promise.resolve();
  }

  /** Flushes all waiting events. Must be stopped last, because events recorded afterwards are not stored. */
  stop(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#cancelSummary?.();
    this.#upkeep.stop();
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
      // The buffer is full before the end of this turn.
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
      if (!DEFERRABLE.has(event.event) && !this.#isFailing) this.#group ??= this.#storeGroup();
    }
    this.#log(event);
  }

  #log({ timeMs: _timeMs, event: auditEvent, ...fields }: AuditEvent): void {
    this.#logger[LEVELS.get(auditEvent) ?? 'info']('audit', { auditEvent, ...fields });
  }

  #scheduleFlush(): void {
    // While the disk fails, a full buffer does not justify more frequent attempts.
    const isUrgent = this.#waiting.length >= FLUSH_THRESHOLD && !this.#isFailing;
    const nowMs = this.#clock.monotonicMs();
    const dueMs = nowMs + (isUrgent ? 0 : FLUSH_INTERVAL_MS);
    if (dueMs >= this.#flushDueMs) return;
    this.#cancelFlush?.();
    this.#flushDueMs = dueMs;
    this.#cancelFlush = this.#clock.schedule(dueMs - nowMs, () => this.#flush());
  }

  #storeAnnouncements(announced: readonly (readonly AuditEvent[])[]): readonly number[] {
    // Waiting events come first: no new operation starts until the store accepts them.
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

  /** Stores the number of events that a process exit would lose. */
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
    const broken =
      fault === undefined
        ? []
        : [this.#createEvent('AUDIT_BROKEN', { fault: fault.message, reasons: [fault] })];
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
    void this.#upkeep.retain();
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
      // Not rate-limited: at most one for each kind and source in an interval.
      const detail = { event, count, fromMs, toMs };
      this.#keep({ event: 'EVENTS_SUPPRESSED', outcome, identity, address, detail });
    }
  }

  #reportDefect(error: unknown): void {
    try {
      this.#logger.error('audit.recordFailed', { reason: messageOf(error) });
    } catch {
      // The log fails as well, so there is no way to report; the caller must not be affected.
    }
  }
}
