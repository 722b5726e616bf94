import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import { ChannelHistory } from './history.ts';
import type { LiveRecord, StreamMessage } from './stream-messages.ts';
import { ValueStream } from './value-stream.ts';
import { useConsole } from '../api/console-context.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** What is known of a channel. */
export interface LiveValue {
  readonly record: LiveRecord;
  /** The last record with a value, which stays when a read fails. */
  readonly lastGood: LiveRecord | undefined;
  /** When the shown value changed last on this page; 0: not since it was opened. */
  readonly changedMs: number;
  readonly history: ChannelHistory;
}

/** How the stream does. */
interface StreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  /** Why it was lost, in the words of the gateway. */
  readonly reason: string;
  readonly sinceMs: number;
}

// Eyes follow four texts a second, and painting more often costs battery.
const PAINT_MS = 250;
// At most how often the gateway tells of a channel.
const INTERVAL_MS = 1000;

/** The values of the assets that a page shows, over one stream that a worker receives. */
class LiveValues {
  /** Counts up, at most four times a second, when something that may be shown has changed. */
  readonly #paint = signal(0);
  readonly #state = signal<StreamState>({ kind: 'OPENING', reason: '', sinceMs: Date.now() });
  /** By asset, then by channel. */
  readonly #values = new Map<string, Map<string, LiveValue>>();
  readonly #stream: ValueStream;
  #painted: ReturnType<typeof setTimeout> | undefined;
  /** When something came last, also a mere sign of life. */
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

  /** Listens to these assets from now on, and to no others. */
  async listen(assets: readonly string[]): Promise<void> {
    this.stop();
    this.#state.value = { kind: 'OPENING', reason: '', sinceMs: Date.now() };
    if (assets.length > 0) {
      await this.#stream.open(
        new URLSearchParams({ assets: assets.join(','), minimumIntervalMs: String(INTERVAL_MS) }),
      );
    }
  }

  /** Stops listening; what was heard stays, and from now on nobody knows more. */
  stop(): void {
    this.#recordGap(undefined);
    this.#stream.close();
    clearTimeout(this.#painted);
    this.#painted = undefined;
  }

  /** Returns what is known of the channels of an asset, by name; the map stays the same. */
  valuesOf(asset: string): ReadonlyMap<string, LiveValue> {
    return this.#obtain(asset);
  }

  #take(message: StreamMessage): void {
    switch (message.kind) {
      case 'RECORDS':
        this.heardMs = Date.now();
        for (const record of message.records) this.#note(record, this.heardMs);
        this.#become('LIVE', '');
        this.#plan();
        return;
      case 'HEARD':
        this.heardMs = Date.now();
        // A stream that has just been opened has told nothing yet; one that goes on tells what has changed.
        if (this.#state.value.kind === 'LOST') this.#become('LIVE', '');
        return;
      case 'GAP':
        this.#recordGap(message.asset);
        // Until the gateway sends them again, the values on the page may be out of date.
        this.#become('OPENING', '');
        this.#plan();
        return;
      case 'LOST':
        this.#recordGap(undefined);
        this.#become('LOST', message.reason);
        this.#plan();
    }
  }

  #note(record: LiveRecord, nowMs: number): void {
    const values = this.#obtain(record.asset);
    const before = values.get(record.name);
    const isGood = record.channelStatus.channelFlag === 'SUCCESS';
    const isChange = before !== undefined && before.record.value !== record.value;
    const history = before?.history ?? new ChannelHistory();
    values.set(record.name, {
      record,
      lastGood: isGood ? record : before?.lastGood,
      changedMs: isChange ? nowMs : (before?.changedMs ?? 0),
      history,
    });
    history.add(isGood ? record.timestamp : nowMs, isGood ? toNumber(record.value) : Number.NaN);
  }

  /** @param asset undefined: all of them */
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

  #become(kind: StreamState['kind'], reason: string): void {
    if (this.#state.value.kind === kind && kind !== 'LOST') return;
    this.#state.value = { kind, reason, sinceMs: Date.now() };
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

/** Returns the values of assets while a page shows them; a page that is hidden for a while stops listening. */
export function useLiveValues(assets: readonly string[]): LiveValues {
  const { rest, session } = useConsole();
  const [live] = useState(() => new LiveValues(rest));
  const key = assets.join(',');
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = {
    start: () => void live.listen(key === '' ? [] : key.split(',')),
    stop: () => live.stop(),
  };
  useWhileSeen(isSignedIn ? listening : undefined, [live, key, isSignedIn]);
  return live;
}
