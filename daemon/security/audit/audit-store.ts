import type { ChainedEvent, RecordedBreak } from './audit-chain.ts';
import type { AuditChain } from './chain-verifier.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';

/** An event as it was stored; its name may be one that only an earlier or later release knows. */
export interface StoredAuditEvent extends Omit<AuditEvent, 'event'> {
  /** Grows with every event and is never given again. */
  readonly id: number;
  readonly event: string;
  /** Links it to the event before, see `chainHash`; absent: it was stored by a release that knew no chain. */
  readonly hash?: string | undefined;
}

/** Which events are wanted; what is absent does not restrict. */
export interface AuditFilter {
  readonly event?: AuditEventName | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** The whole name, compared exactly. */
  readonly identity?: string | undefined;
  /** Milliseconds since the epoch; events of this moment are included. */
  readonly fromMs?: number | undefined;
  /** Milliseconds since the epoch; events of this moment are not included. */
  readonly toMs?: number | undefined;
  /** Only events with a smaller id. */
  readonly before?: number | undefined;
  /** Maximum number of events, at least 1. */
  readonly limit: number;
}

/** Some of the events, the newest first. */
export interface AuditPage {
  readonly events: readonly StoredAuditEvent[];
  /** What `before` has to be to see the events that follow; undefined when there are none. */
  readonly next?: number | undefined;
}

/** Which part of the chain is wanted. */
export interface ChainRange {
  /** Only events with a larger id. */
  readonly after: number;
  /** Maximum number of events, at least 1. */
  readonly limit: number;
}

/** Part of the chain, the oldest event first; the last part has the gaps, the breaks if there are any, and the checkpoints of all. */
export interface ChainPage extends Partial<Pick<AuditChain, 'gaps' | 'breaks' | 'checkpoints'>> {
  readonly events: readonly ChainedEvent[];
}

/** The events of something that was about to be done: what becomes of it is not known. */
export interface StoredAnnouncement {
  readonly id: number;
  readonly events: readonly AuditEvent[];
}

/** Whether the recorded events are whole, and the store takes more. */
export interface AuditStatus {
  /** Breaks of the chain that were found, in ascending order. */
  readonly breaks: readonly RecordedBreak[];
  /** Milliseconds since the epoch since when the store takes no events; absent: it takes them. */
  readonly failingSinceMs?: number | undefined;
  /** Number of events that wait because the store takes none. */
  readonly waitingEvents: number;
  /** Number of events that were lost since the start. */
  readonly lostEvents: number;
}

/** Keeps a bounded number of events, each linked to the one before. */
export interface AuditStore {
  /**
   * Adds events in order, all or none; when it returns they outlive the process, and when {@link AuditStore.seal} returns the
   * loss of power as well. Where the bound is passed, events go of the kind
   * that has the most, and there the oldest of the identity that has the most: neither a flood of one kind nor that of one
   * identity washes away the rare ones.
   *
   * The announcements with the ids of `settled` go at the same time. With a {@link AuditStore.fault}, the chain begins anew with the first of them, and the fault is recorded as a break.
   *
   * @throws when the disk is full or fails; nothing was added then
   */
  append(events: readonly AuditEvent[], settled?: Iterable<number>): void;
  /**
   * Keeps announcements of events that follow, all or none; when it returns they outlive the process.
   *
   * @returns the id of each, in the same order
   * @throws when the disk is full or fails
   */
  announce(announcements: readonly (readonly AuditEvent[])[]): readonly number[];
  /** Returns the announcements that no event has followed yet, in their order. */
  listAnnouncements(): readonly StoredAnnouncement[];
  /** Events that an earlier process could not store; 0 once {@link AuditStore.noteUnstored} was called. */
  readonly unstored: number;
  /** Keeps the number of events that wait or were lost because the store takes none, outside the store. */
  noteUnstored(count: number): void;
  /** A break of the chain, in words, that was found and is not recorded yet: the next events are to begin with one that tells it. */
  readonly fault: string | undefined;
  /** Returns the breaks that were recorded, in ascending order. */
  listBreaks(): readonly RecordedBreak[];
  /** Walks along the whole chain, a portion at each step; what it finds is in {@link AuditStore.fault} when it ends. */
  inspect(): Generator<undefined, void>;
  /** Id of the newest event; 0 when there was none. */
  readonly lastId: number;
  /**
   * Signs the end of the chain, unless it is broken; it and all events are on disk when it returns.
   *
   * @throws when the disk is full or fails
   */
  seal(): void;
  /** @throws {StoreError} `STORE_DAMAGED` when a stored event cannot be read */
  query(filter: AuditFilter): AuditPage;
  /**
   * Reads a part of the chain; after `seal` its last checkpoint is that of the last event.
   *
   * @throws {StoreError} `STORE_DAMAGED` when a stored event cannot be read
   */
  readChain(range: ChainRange): ChainPage;
}
