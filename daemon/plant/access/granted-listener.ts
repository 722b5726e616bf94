import type { Asset } from '../asset/asset.ts';
import type {
  ListenEndReason,
  ListenOutput,
  ListenRequest,
  SubscriptionEvent,
} from '../asset/read/subscriber-feed.ts';
import type { ListenerControl } from '../asset/read/subscription.ts';
import type { Cancel, Clock } from '../../base/clock.ts';
import { isReadable } from '../../channel/channel.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import { holds, isVisible } from '../../security/identity/asset-rights.ts';
import type { AssetRights } from '../../security/identity/asset-rights.ts';
import { refuseChannel } from './channel-refusal.ts';

/** An event for a caller; one about lost rights has no id, because no stream can be resumed after it. */
export type GrantedEvent =
  | SubscriptionEvent
  | { readonly type: 'change'; readonly id?: undefined; readonly records: readonly ChannelRecord[] };

/** Reason that a subscription ended, including lost rights of its caller. */
type GrantedEndReason = ListenEndReason | 'NOT_PERMITTED' | 'NOT_AUTHENTICATED';

/** Channels that a caller subscribes to, including those that it may not read. */
export interface GrantedListenRequest extends Omit<ListenRequest, 'output'> {
  readonly output: {
    readonly isFull: boolean;
    send(event: GrantedEvent): void;
    end(reason: GrantedEndReason): void;
  };
}

interface GrantedListenerOptions {
  readonly asset: Asset;
  readonly request: GrantedListenRequest;
  /** Rights of the caller at the beginning. */
  readonly rights: AssetRights;
  /** Finds the rights of the caller at that moment; undefined if its identity was deleted. */
  readonly findRights: () => AssetRights | undefined;
  readonly clock: Clock;
}

// The system clock may be set while the timer runs; the longest delay of a timer is some days.
const MAXIMUM_WAIT_MS = 3_600_000;

/**
 * Passes the events of an asset to one caller, each filtered by its rights at that moment.
 *
 * Only channels that the caller may read at the beginning are followed. If the right to one ends, its next record is a
 * failure and the last one; if the rights to all of them end, the subscription ends at that moment.
 */
export class GrantedListener implements ListenerControl, ListenOutput {
  readonly #options: GrantedListenerOptions;
  /** Requested names, each once; undefined: all. */
  readonly #asked: readonly string[] | undefined;
  /** Names of channels that are followed, in the order of the snapshot. */
  readonly #followed: readonly string[];
  #rights: AssetRights;
  #delivered: ReadonlySet<string>;
  #control: ListenerControl | undefined;
  #cancelWait: Cancel | undefined;
  #isEnded = false;

  constructor(options: GrantedListenerOptions) {
    const { asset, request, rights } = options;
    const { channels } = asset.config;
    this.#options = options;
    this.#rights = rights;
    this.#asked = request.names === undefined ? undefined : [...new Set(request.names)];
    const all = channels
      .filter((channel) => channel.isEnabled && isReadable(channel))
      .map(({ name }) => name);
    this.#followed = (this.#asked ?? all).filter((name) => holds(rights.readable, name));
    this.#delivered = new Set(this.#followed);
  }

  get isFull(): boolean {
    return this.#options.request.output.isFull;
  }

  /** Subscribes; the first events may be sent before this returns. */
  start(): void {
    const { asset, request } = this.#options;
    this.#wait();
    const control = asset.listen({ ...request, names: this.#followed, output: this });
    if (this.#isEnded) control.stop();
    else this.#control = control;
  }

  resume(): void {
    this.#control?.resume();
  }

  stop(): void {
    this.#isEnded = true;
    this.#cancelWait?.();
    this.#control?.stop();
  }

  /** Updates the channels that the caller may read. */
  check(): void {
    if (this.#isEnded) return;
    const rights = this.#options.findRights();
    if (rights === undefined) this.end('NOT_AUTHENTICATED');
    else if (rights !== this.#rights) this.#take(rights);
  }

  send(event: SubscriptionEvent): void {
    this.check();
    if (this.#isEnded) return;
    const { output } = this.#options.request;
    if (event.type === 'gap') output.send(event);
    else if (event.type === 'snapshot') output.send({ ...event, records: this.#complete(event.records) });
    else {
      const isWhole = this.#delivered.size === this.#followed.length;
      const records = isWhole ? event.records : event.records.filter(({ name }) => this.#delivered.has(name));
      if (records.length > 0) output.send({ ...event, records });
    }
  }

  end(reason: GrantedEndReason): void {
    if (this.#isEnded) return;
    this.stop();
    this.#options.request.output.end(reason);
  }

  #take(rights: AssetRights): void {
    const before = this.#delivered;
    this.#rights = rights;
    this.#delivered = new Set(this.#followed.filter((name) => holds(rights.readable, name)));
    const isOver = this.#followed.length > 0 && this.#delivered.size === 0;
    if (isOver || !isVisible(rights)) {
      this.end('NOT_PERMITTED');
      return;
    }
    this.#wait();
    const lost = [...before].filter((name) => !this.#delivered.has(name));
    if (lost.length === 0) return;
    const records = lost.map((name) => this.#refuse(name));
    this.#options.request.output.send({ type: 'change', records });
  }

  /** Schedules the next check for the end of the next grant. */
  #wait(): void {
    this.#cancelWait?.();
    const { validUntilMs } = this.#rights;
    if (validUntilMs === Infinity) return;
    const { clock } = this.#options;
    const delayMs = Math.min(Math.max(validUntilMs - clock.epochMs(), 1), MAXIMUM_WAIT_MS);
    this.#cancelWait = clock.schedule(delayMs, () => {
      this.#wait();
      this.check();
    });
  }

  /** Returns the records of a snapshot with those of the channels that the caller may not read. */
  #complete(records: readonly ChannelRecord[]): readonly ChannelRecord[] {
    const names = this.#asked ?? this.#followed;
    if (names.length === records.length && this.#delivered.size === this.#followed.length) return records;
    const byName = new Map(records.map((record) => [record.name, record]));
    return names.map((name) => {
      const record = holds(this.#rights.readable, name) ? byName.get(name) : undefined;
      return record ?? this.#refuse(name);
    });
  }

  #refuse(name: string): ChannelRecord {
    const { asset, clock } = this.#options;
    const channel = asset.config.channels.find((candidate) => candidate.name === name);
    return { ...refuseChannel({ name, channel }, this.#rights, 'READ'), timestampMs: clock.epochMs() };
  }
}
