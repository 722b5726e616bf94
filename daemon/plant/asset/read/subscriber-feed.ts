import type { Cancel, Clock } from '../../../base/clock.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChangeEntry, ChangeHistory } from '../change-history.ts';
import { mustReport, selectNewest } from '../write/record-change.ts';

/** Why changes are missing: the id is unknown to this subscription, or the changes after it are no longer kept. */
type GapReason = 'ID_UNKNOWN' | 'HISTORY_EXCEEDED';

/** Why a subscription ended. */
export type ListenEndReason = 'ASSET_CHANGED' | 'ASSET_REMOVED';

/** An event for a client. */
export type SubscriptionEvent =
  | { readonly type: 'snapshot' | 'change'; readonly id: string; readonly records: readonly ChannelRecord[] }
  | { readonly type: 'gap'; readonly reason: GapReason };

/** Where the events of a client are sent. */
export interface ListenOutput {
  /** Whether the client lags behind; nothing more should be sent until `ListenerControl.resume` is called. */
  readonly isFull: boolean;
  send(event: SubscriptionEvent): void;
  /** Ends the output; nothing is sent afterwards. */
  end(reason: ListenEndReason): void;
}

/** The channels of an asset that a client subscribes to, and how often it wants changes. */
export interface ListenRequest {
  /** Names in the order of the snapshot; absent: every enabled channel that can be read. */
  readonly names?: readonly string[] | undefined;
  /** Returns the largest change of a channel that is not reported. */
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
  /** Returns the present records of the channels, in the order of their names. */
  readonly takeSnapshot: () => readonly ChannelRecord[];
  readonly names: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Sends one client its events from the history that all share: events that a slow client has not taken wait there, cost
 * nothing, and are lost only when the history drops them, which the client is told.
 */
export class SubscriberFeed {
  readonly #options: SubscriberFeedOptions;
  // The last record sent of each channel; none after a resumption, when every record counts as news.
  readonly #sent: ReadonlyMap<string, { record: ChannelRecord | undefined }>;
  #position: number | undefined;
  #dueMs = -Infinity;
  #cancelWait: Cancel | undefined;
  #isStopped = false;

  constructor(options: SubscriberFeedOptions) {
    this.#options = options;
    this.#sent = new Map(Array.from(options.names, (name) => [name, { record: undefined }]));
  }

  /** Resumes after a position that the history holds. */
  resumeAfter(position: number): void {
    this.#position = position;
    this.pump();
  }

  /** Reports that changes are missing; a snapshot follows as soon as there is one. */
  sendGap(reason: GapReason): void {
    this.#options.request.output.send({ type: 'gap', reason });
  }

  /** Sends the present records; later changes follow them. */
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

  /** Sends the changes that are wanted and due, as far as the client takes them. */
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
      // A client that lags behind gets one batch after the other; one that is up to date waits for its interval.
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

  /** @param changedAtMs of the first change that waits: what a client missed may have waited for longer than its interval */
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
    // The very same list, where it is news as a whole: what many clients get is written as text once.
    const records = news.length === newest.length ? newest : news;
    request.output.send({ type: 'change', id, records });
  }

  /** Notes a record as sent if it is wanted, and news for this client. */
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
