import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import type { StreamEnd } from './event-stream.ts';
import { ChannelHistory } from './history.ts';
import type { LiveRecord, StreamMessage } from './stream-messages.ts';
import { ValueStream } from './value-stream.ts';
import { useConsole } from '../api/console-context.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** Live state of a channel. */
export interface LiveValue {
  readonly record: LiveRecord;
  /** Last record with a value; stays if a read fails. */
  readonly lastGood: LiveRecord | undefined;
  /** Time of the last change of the shown value on this page; 0: none. */
  readonly changedMs: number;
  readonly history: ChannelHistory;
}

type StreamCause = Pick<StreamEnd, 'code' | 'reason'>;

const NO_CAUSE: StreamCause = { code: undefined, reason: '' };

/** State of the stream. */
interface StreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  /** Cause of the loss, as reported by the gateway. */
  readonly cause: StreamCause;
  readonly sinceMs: number;
}

// The eye follows four updates a second, and more repaints cost battery.
const PAINT_MS = 250;
// Shortest interval between two reports of a channel.
const INTERVAL_MS = 1000;

/** Recorded value of a channel; NaN: none. */
export interface RecordedValue {
  readonly ms: number;
  readonly value: number;
}

/** Live values of the assets on a page, from one stream in a worker. */
export class LiveValues {
  /** Incremented when displayed data may have changed, at most four times a second. */
  readonly #paint = signal(0);
  readonly #state = signal<StreamState>({ kind: 'OPENING', cause: NO_CAUSE, sinceMs: Date.now() });
  /** By asset, then by channel. */
  readonly #values = new Map<string, Map<string, LiveValue>>();
  /** Histories that begin before the first live value, by asset and channel. */
  readonly #begun = new Map<string, ReadonlyMap<string, readonly RecordedValue[]>>();
  readonly #stream: ValueStream;
  #painted: ReturnType<typeof setTimeout> | undefined;
  /** Time of the last received data, keep-alives included. */
  heardMs = 0;

  constructor(rest: Rest) {
    this.#stream = new ValueStream(rest, (message) => this.#take(message));
  }

  get paint(): ReadonlySignal<number> {
    return this.#paint;
  }

  get state(): ReadonlySignal<StreamState> {
    return this.#state;
  }

  /**
   * Listens to exactly these assets from now on.
   *
   * @param channels named as `asset/channel`; empty: all of them
   */
  async listen(assets: readonly string[], channels: readonly string[] = []): Promise<void> {
    this.stop();
    this.#state.value = { kind: 'OPENING', cause: NO_CAUSE, sinceMs: Date.now() };
    if (assets.length > 0) {
      await this.#stream.open(
        new URLSearchParams({
          assets: assets.join(','),
          minimumIntervalMs: String(INTERVAL_MS),
          ...(channels.length === 0 ? {} : { channels: channels.join(',') }),
        }),
      );
    }
  }

  /** Stops listening; values stay, and their state is unknown from now on. */
  stop(): void {
    this.#recordGap(undefined);
    this.#stream.close();
    clearTimeout(this.#painted);
    this.#painted = undefined;
  }

  /** Returns the live channels of an asset by name; always the same map. */
  valuesOf(asset: string): ReadonlyMap<string, LiveValue> {
    return this.#obtain(asset);
  }

  /** Begins the histories of an asset with recorded values, in order of time. */
  begin(asset: string, recorded: ReadonlyMap<string, readonly RecordedValue[]>): void {
    this.#begun.set(asset, recorded);
    const values = this.#obtain(asset);
    for (const [name, value] of values) {
      const history = this.#createHistory(asset, name, value.history);
      values.set(name, { ...value, history });
    }
    this.#plan();
  }

  #createHistory(asset: string, name: string, live?: ChannelHistory): ChannelHistory {
    const history = new ChannelHistory();
    const [firstLive] = live?.columns() ?? [];
    for (const { ms, value } of this.#begun.get(asset)?.get(name) ?? []) {
      if (firstLive === undefined || ms < firstLive.ms) history.add(ms, value);
    }
    for (const { ms, low, high, last } of live?.columns() ?? []) {
      for (const value of [low, high, last]) history.add(ms, value);
    }
    return history;
  }

  #take(message: StreamMessage): void {
    switch (message.kind) {
      case 'RECORDS':
        this.heardMs = Date.now();
        for (const record of message.records) this.#note(record, this.heardMs);
        this.#become('LIVE');
        this.#plan();
        return;
      case 'HEARD':
        this.heardMs = Date.now();
        // A new stream has sent nothing yet; a resumed one sends the changes.
        if (this.#state.value.kind === 'LOST') this.#become('LIVE');
        return;
      case 'GAP':
        this.#recordGap(message.asset);
        // Until the gateway resends them, the values on the page can be outdated.
        this.#become('OPENING');
        this.#plan();
        return;
      case 'LOST':
        this.#recordGap(undefined);
        this.#become('LOST', message);
        this.#plan();
    }
  }

  #note(record: LiveRecord, nowMs: number): void {
    const values = this.#obtain(record.asset);
    const before = values.get(record.name);
    const isGood = record.channelStatus.channelFlag === 'SUCCESS';
    const isChange = before !== undefined && before.record.value !== record.value;
    const history = before?.history ?? this.#createHistory(record.asset, record.name);
    values.set(record.name, {
      record,
      lastGood: isGood ? record : before?.lastGood,
      changedMs: isChange ? nowMs : (before?.changedMs ?? 0),
      history,
    });
    history.add(isGood ? record.timestamp : nowMs, isGood ? toNumber(record.value) : Number.NaN);
  }

  /** @param asset undefined: all assets */
  #recordGap(asset: string | undefined): void {
    const nowMs = Date.now();
    const gapped = asset === undefined ? [...this.#values.values()] : [this.#obtain(asset)];
    for (const values of gapped) for (const { history } of values.values()) history.add(nowMs, Number.NaN);
  }

  #obtain(asset: string): Map<string, LiveValue> {
    const values = this.#values.get(asset) ?? new Map<string, LiveValue>();
    this.#values.set(asset, values);
    return values;
  }

  #become(kind: StreamState['kind'], { code, reason } = NO_CAUSE): void {
    if (this.#state.value.kind === kind && kind !== 'LOST') return;
    this.#state.value = { kind, cause: { code, reason }, sinceMs: Date.now() };
  }

  #plan(): void {
    this.#painted ??= setTimeout(() => {
      this.#painted = undefined;
      this.#paint.value += 1;
    }, PAINT_MS);
  }
}

function toNumber(value: LiveRecord['value']): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : Number(value);
}

/**
 * Returns the live values of assets; stops listening while the page is hidden for long.
 *
 * @param channels named as `asset/channel`; empty: all of them
 */
export function useLiveValues(assets: readonly string[], channels: readonly string[] = []): LiveValues {
  const { rest, session } = useConsole();
  const [live] = useState(() => new LiveValues(rest));
  const key = JSON.stringify([assets, channels]);
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = {
    start: () => void live.listen(assets, channels),
    stop: () => live.stop(),
  };
  useWhileSeen(isSignedIn ? listening : undefined, [live, key, isSignedIn]);
  return live;
}
