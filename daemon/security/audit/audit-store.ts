import type { FaultReason } from '../../base/fault-reason.ts';
import type { Slices } from '../../base/slices.ts';
import type { ChainedEvent, RecordedBreak } from './audit-chain.ts';
import type { AuditChain } from './chain-verifier.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';

/** A stored event; its name may be one of an earlier or later release. */
export interface StoredAuditEvent extends Omit<AuditEvent, 'event'> {
  /** Increases with every event; never reused. */
  readonly id: number;
  readonly event: string;
  /** Link to the previous event, see `chainHash`; absent: stored by a release without chain. */
  readonly hash?: string | undefined;
}

/** Filter of events; absent members do not restrict. */
export interface AuditFilter {
  readonly event?: AuditEventName | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Complete name, compared exactly. */
  readonly identity?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly fromMs?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly toMs?: number | undefined;
  /** Only events with a smaller id. */
  readonly before?: number | undefined;
  /** Maximum number of events, at least 1. */
  readonly limit: number;
}

/** A page of events, newest first. */
export interface AuditPage {
  readonly events: readonly StoredAuditEvent[];
  /** Value of `before` for the next page; undefined on the last page. */
  readonly next?: number | undefined;
}

/** Requested part of the chain. */
export interface ChainRange {
  /** Only events with a larger id. */
  readonly after: number;
  /** Maximum number of events, at least 1. */
  readonly limit: number;
}

/** A part of the chain, oldest event first; the last part also contains all gaps, breaks and checkpoints. */
export interface ChainPage extends Partial<Pick<AuditChain, 'gaps' | 'breaks' | 'checkpoints'>> {
  readonly events: readonly ChainedEvent[];
}

/** The announced events of an operation whose outcome is unknown. */
export interface StoredAnnouncement {
  readonly id: number;
  readonly events: readonly AuditEvent[];
}

/** Integrity of the recorded events and state of the store. */
export interface AuditStatus {
  /** Detected breaks of the chain, in ascending order. */
  readonly breaks: readonly RecordedBreak[];
  /** Start of the current store failure, in milliseconds since the epoch; absent: no failure. */
  readonly failingSinceMs?: number | undefined;
  /** Number of events waiting for the store. */
  readonly waitingEvents: number;
  /** Number of events lost since the start. */
  readonly lostEvents: number;
}

/** Stores a bounded number of events, each linked to its predecessor. */
export interface AuditStore {
  /**
   * Appends events in order, all or none. After it returns they survive the process; after {@link AuditStore.seal} they also
   * survive a power loss. Far beyond the bound, where {@link AuditStore.retain} has not kept up, it also removes a limited number of
   * events.
   *
   * The announcements in `settled` are removed in the same transaction. If there is a {@link AuditStore.fault}, a new chain starts with
   * the first event, and the fault is recorded as a break.
   *
   * @throws if the disk is full or fails; nothing is added then
   */
  append(events: readonly AuditEvent[], settled?: Iterable<number>): void;
  /** True if the bound is exceeded, so that {@link AuditStore.retain} has something to do. */
  readonly isFull: boolean;
  /**
   * Brings the number of events below the bound, in steps that each remove a limited number. Removes the oldest events of the
   * identity with the most events in the largest kind: neither a flood of one kind nor that of one identity displaces rare events.
   *
   * @throws if the disk is full or fails; the steps before are done
   */
  retain(): Slices<void>;
  /**
   * Stores announcements, all or none; after it returns they survive the process.
   *
   * @returns their ids, in the same order
   * @throws if the disk is full or fails
   */
  announce(announcements: readonly (readonly AuditEvent[])[]): readonly number[];
  /** Lists the unsettled announcements in insertion order. */
  listAnnouncements(): readonly StoredAnnouncement[];
  /** Number of events that an earlier process could not store; 0 after {@link AuditStore.noteUnstored} was called. */
  readonly unstored: number;
  /** Writes the number of waiting and lost events to a file outside the store. */
  noteUnstored(count: number): void;
  /** Detected break that is not yet recorded; the next appended event must report it. */
  readonly fault: FaultReason | undefined;
  /** Lists the recorded breaks in ascending order. */
  listBreaks(): readonly RecordedBreak[];
  /** Inspects the whole chain, one portion for each step; the result is in {@link AuditStore.fault}. */
  inspect(): Generator<undefined, void>;
  /** Id of the newest event; 0 if there is none. */
  readonly lastId: number;
  /**
   * Signs the end of the chain unless it is broken, and syncs all events to disk.
   *
   * @throws if the disk is full or fails
   */
  seal(): void;
  /**
   * Searches in steps, because no index serves every filter.
   *
   * @throws {StoreError} `STORE_DAMAGED` if a stored event is invalid
   */
  query(filter: AuditFilter): Slices<AuditPage>;
  /**
   * Reads events as links of the chain, in ascending order.
   *
   * @throws {StoreError} `STORE_DAMAGED` if a stored event is invalid
   */
  readLinks(range: ChainRange): readonly ChainedEvent[];
  /**
   * Reads a part of the chain in steps; after `seal`, the last checkpoint covers the last event.
   *
   * @returns undefined if retention has removed events in between; seal and read again then
   * @throws as {@link AuditStore.readLinks} does
   */
  readChain(range: ChainRange): Slices<ChainPage | undefined>;
}
