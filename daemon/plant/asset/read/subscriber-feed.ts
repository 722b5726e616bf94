import type { Cancel, Clock } from '../../../base/clock.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChangeEntry, ChangeHistory } from '../change-history.ts';
import { mustReport, selectNewest } from '../write/record-change.ts';

/** Reason for missing changes: the id is unknown to this subscription, or later changes were dropped. */
type GapReason = 'ID_UNKNOWN' | 'HISTORY_EXCEEDED';

/** Reason that a subscription ended. */
export type ListenEndReason = 'ASSET_CHANGED' | 'ASSET_REMOVED';

/** An event for a client. */
export type SubscriptionEvent =
  | { readonly type: 'snapshot' | 'change'; readonly id: string; readonly records: readonly ChannelRecord[] }
  | { readonly type: 'gap'; readonly reason: GapReason };

/** Output for the events of a client. */
export interface ListenOutput {
  /** True while the client lags; send nothing more until `ListenerControl.resume` is called. */
  readonly isFull: boolean;
  send(event: SubscriptionEvent): void;
  /** Ends the output; nothing is sent afterwards. */
  end(reason: ListenEndReason): void;
}

/** Subscription of a client to channels of an asset. */
export interface ListenRequest {
  /** Names in the order of the snapshot; absent: every enabled, readable channel. */
  readonly names?: readonly string[] | undefined;
  /** Returns the deadband of a channel. */
  readonly deadbandOf: (name: string) => number;
  /** Minimum time between two events. */
  readonly minimumIntervalMs: number;
  /** Resumes after this event if the changes since are known. */
  readonly lastEventId?: string | undefined;
  readonly output: ListenOutput;
}

interface SubscriberFeedOptions {
  readonly request: ListenRequest;
  readonly history: ChangeHistory;
  /** Returns the current records of the channels, in the order of their names. */
  readonly takeSnapshot: () => readonly ChannelRecord[];
  readonly names: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Sends one client its events from the shared history: pending events of a slow client stay there, cost
 * nothing, and are lost only if the history drops them, which is reported to the client.
 */
export class SubscriberFeed {
  readonly #options: SubscriberFeedOptions;
  // Last record sent of each channel; empty after a resumption, when every record must be reported.
  readonly #sent: ReadonlyMap<string, { record: ChannelRecord | undefined }>;
  #position: number | undefined;
  #dueMs = -Infinity;
  #cancelWait: Cancel | undefined;
  #isStopped = false;

  constructor(options: SubscriberFeedOptions) {
    this.#options = options;
    this.#sent = new Map(Array.from(options.names, (name) => [name, { record: undefined }]));
  }

  /** Resumes after a position in the history. */
  resumeAfter(position: number): void {
    this.#position = position;
    this.pump();
  }

  /** Reports missing changes; a snapshot follows as soon as one exists. */
  sendGap(reason: GapReason): void {
    this.#options.request.output.send({ type: 'gap', reason });
  }

  /** Sends the current records; later changes follow. */
  sendSnapshot(): void {
    const { request, history, takeSnapshot } = this.#options;
    const records = takeSnapshot();
    this.#position = history.end;
    for (const record of records) {
      const sent = this.#sent.get(record.name);
      if (sent !== undefined) sent.record = record;
    }
    this.#noteSent();
    request.output.send({ type: 'snapshot', id: history.toId(this.#position), records });
  }

  /** Sends the subscribed changes that are due, as far as the client accepts them. */
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
      // A lagging client receives one batch after the other; one that is up to date waits for its interval.
      if (next === history.end && this.#isEarly(batch[0]?.atMs ?? 0)) return;
      this.#position = next;
      this.#sendChanges(batch, history.toId(next));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelWait?.();
  }

  /** Returns the changes of the next event: those within the interval of the client. */
  #takeBatch(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
    const endMs = (entries[0]?.atMs ?? 0) + this.#options.request.minimumIntervalMs;
    const end = entries.findIndex(({ atMs }, index) => index > 0 && atMs >= endMs);
    return end === -1 ? entries : entries.slice(0, end);
  }

  /** @param changedAtMs of the first pending change: missed changes may have waited longer than the interval */
  #isEarly(changedAtMs: number): boolean {
    const { clock, request } = this.#options;
    const dueMs = Math.min(this.#dueMs, changedAtMs + request.minimumIntervalMs);
    const waitMs = dueMs - clock.monotonicMs();
    if (waitMs <= 0) return false;
    this.#cancelWait ??= clock.schedule(waitMs, () => {
      this.#cancelWait = undefined;
      this.pump();
    });
    return true;
  }

  #sendChanges(batch: readonly ChangeEntry[], id: string): void {
    const { request } = this.#options;
    const newest = selectNewestOf(batch);
    const news = newest.filter((record) => this.#takeNews(record));
    if (news.length === 0) return;
    this.#noteSent();
    // The identical list, if all of it must be reported: text for many clients is then written once.
    const records = news.length === newest.length ? newest : news;
    request.output.send({ type: 'change', id, records });
  }

  /** Marks a record as sent if this client subscribes to it and it must be reported. */
  #takeNews(record: ChannelRecord): boolean {
    const sent = this.#sent.get(record.name);
    if (sent === undefined) return false;
    const { deadbandOf } = this.#options.request;
    if (sent.record !== undefined && !mustReport(sent.record, record, deadbandOf(record.name))) return false;
    sent.record = record;
    return true;
  }

  #noteSent(): void {
    this.#dueMs = this.#options.clock.monotonicMs() + this.#options.request.minimumIntervalMs;
  }
}

function selectNewestOf(batch: readonly ChangeEntry[]): readonly ChannelRecord[] {
  const [first, ...more] = batch;
  // The records of one entry are of different channels, unless their device queues values.
  const isPlain = more.length === 0 && first?.records.every(({ isQueued }) => isQueued !== true) === true;
  return isPlain ? first.records : selectNewest(batch.flatMap(({ records }) => records));
}
