import type { Cancel, Clock } from '../base/clock.ts';
import type { ChannelRecord } from '../channel/channel-record.ts';
import type { ChangeEntry, ChangeHistory } from './change-history.ts';
import { isNews } from './record-change.ts';

/** Why changes are missing: the id is none of this listening, or the changes after it are no longer kept. */
type GapReason = 'ID_UNKNOWN' | 'HISTORY_EXCEEDED';

/** Why nothing more comes. */
export type ListenEndReason = 'ASSET_CHANGED' | 'ASSET_REMOVED';

/** What a listener gets. */
export type SubscriptionEvent =
  | { readonly type: 'snapshot' | 'change'; readonly id: string; readonly records: readonly ChannelRecord[] }
  | { readonly type: 'gap'; readonly reason: GapReason };

/** Where events of a listener go. */
interface ListenOutput {
  /** The client has not taken what it was sent; nothing more should be sent until it is asked for by `ListenerControl.resume`. */
  readonly isFull: boolean;
  send(event: SubscriptionEvent): void;
  /** Nothing is sent afterwards. */
  end(reason: ListenEndReason): void;
}

/** What of the channels of an asset somebody wants to know, and how often. */
export interface ListenRequest {
  /** Names in the order in which a snapshot has them; absent: every enabled channel that can be read. */
  readonly names?: readonly string[] | undefined;
  /** How far the number of a channel may move unnoticed. */
  readonly deadbandOf: (name: string) => number;
  /** Changes come no more often. */
  readonly minimumIntervalMs: number;
  /** Goes on after this event where the changes since are known. */
  readonly lastEventId?: string | undefined;
  readonly output: ListenOutput;
}

interface SubscriberFeedOptions {
  readonly request: ListenRequest;
  readonly history: ChangeHistory;
  /** Gives the present records of the channels, in the order of their names. */
  readonly takeSnapshot: () => readonly ChannelRecord[];
  readonly names: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Gives one listener its events from the history that all share: what it is slow to take waits there, so it costs
 * nothing and is lost only together with the history, which the listener is told.
 */
export class SubscriberFeed {
  readonly #options: SubscriberFeedOptions;
  // What the listener knows; after coming back that is not known, and so everything is news.
  readonly #sent = new Map<string, ChannelRecord>();
  #position: number | undefined;
  #dueMs = -Infinity;
  #cancelWait: Cancel | undefined;
  #isStopped = false;

  constructor(options: SubscriberFeedOptions) {
    this.#options = options;
  }

  /** Goes on after a position that the history holds. */
  resumeAfter(position: number): void {
    this.#position = position;
    this.pump();
  }

  /** Says that changes are missing; a snapshot follows as soon as there is one. */
  sendGap(reason: GapReason): void {
    this.#options.request.output.send({ type: 'gap', reason });
  }

  /** Gives the present records, and what changes from now on. */
  sendSnapshot(): void {
    const { request, history, takeSnapshot } = this.#options;
    const records = takeSnapshot();
    this.#position = history.end;
    for (const record of records) this.#sent.set(record.name, record);
    this.#noteSent();
    request.output.send({ type: 'snapshot', id: history.toId(this.#position), records });
  }

  /** Sends what is new, due and wanted, as far as the client takes it. */
  pump(): void {
    const { history, request } = this.#options;
    while (this.#position !== undefined && !this.#isStopped && !request.output.isFull) {
      if (!history.holdsAfter(this.#position)) {
        this.sendGap('HISTORY_EXCEEDED');
        this.sendSnapshot();
        return;
      }
      const batch = this.#takeBatch(history.listAfter(this.#position));
      if (batch.length === 0) return;
      const next = this.#position + batch.length;
      // A listener that lags behind gets one batch after the other; one that is up to date waits for its turn.
      if (next === history.end && this.#isEarly()) return;
      this.#position = next;
      this.#sendChanges(batch, history.toId(next));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelWait?.();
  }

  /** Takes the changes that make one event: those within the interval that the listener wants. */
  #takeBatch(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
    const endMs = (entries[0]?.atMs ?? 0) + this.#options.request.minimumIntervalMs;
    const end = entries.findIndex(({ atMs }, index) => index > 0 && atMs >= endMs);
    return end === -1 ? entries : entries.slice(0, end);
  }

  #isEarly(): boolean {
    const { clock } = this.#options;
    const waitMs = this.#dueMs - clock.monotonicMs();
    if (waitMs <= 0) return false;
    this.#cancelWait ??= clock.schedule(waitMs, () => {
      this.#cancelWait = undefined;
      this.pump();
    });
    return true;
  }

  #sendChanges(batch: readonly ChangeEntry[], id: string): void {
    const { names, request } = this.#options;
    const newest = new Map<string, ChannelRecord>();
    for (const { records } of batch) {
      for (const record of records) if (names.has(record.name)) newest.set(record.name, record);
    }
    const records = [...newest.values()].filter((record) => {
      const former = this.#sent.get(record.name);
      return former === undefined || isNews(former, record, request.deadbandOf(record.name));
    });
    if (records.length === 0) return;
    for (const record of records) this.#sent.set(record.name, record);
    this.#noteSent();
    request.output.send({ type: 'change', id, records });
  }

  #noteSent(): void {
    this.#dueMs = this.#options.clock.monotonicMs() + this.#options.request.minimumIntervalMs;
  }
}
