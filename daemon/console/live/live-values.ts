import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Rest } from '../api/rest.ts';
import { ChannelHistory } from './history.ts';
import type { LiveRecord, StreamNews, StreamWish } from './stream-messages.ts';

/** What is known of a channel. */
export interface LiveValue {
  readonly record: LiveRecord;
  /** The last record with a value, which stays when a read fails. */
  readonly lastGood: LiveRecord | undefined;
  /** When the shown value changed last on this page; 0: not since it was opened. */
  readonly changedMs: number;
}

/** How the stream does. */
export interface StreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  /** Why it was lost, in the words of the gateway. */
  readonly reason: string;
  readonly sinceMs: number;
}

// Eyes follow four texts a second, and painting more often costs battery.
const PAINT_MS = 250;

/** The values of the assets that a page shows, over one stream that a worker receives. */
export class LiveValues {
  /** Counts up, at most four times a second, when something that may be shown has changed. */
  readonly #paint = signal(0);
  readonly #state = signal<StreamState>({ kind: 'OPENING', reason: '', sinceMs: Date.now() });
  readonly #values = new Map<string, LiveValue>();
  readonly #histories = new Map<string, ChannelHistory>();
  readonly #rest: Rest;
  readonly #worker: Worker;
  #painted: ReturnType<typeof setTimeout> | undefined;
  #assets: readonly string[] = [];
  #fields: Readonly<Record<string, string>> = {};
  #isStopped = true;
  heardMs = 0;

  constructor(rest: Rest) {
    this.#rest = rest;
    this.#worker = new Worker(new URL('./stream-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<StreamNews>) => this.#take(data));
  }

  get paint(): ReadonlySignal<number> {
    return this.#paint;
  }

  get state(): ReadonlySignal<StreamState> {
    return this.#state;
  }

  /** Listens to these assets from now on, and to no others. */
  async listen(assets: readonly string[], intervalMs = 1000): Promise<void> {
    this.#assets = assets;
    this.#state.value = { kind: 'OPENING', reason: '', sinceMs: Date.now() };
    if (assets.length === 0) return this.stop();
    const fields = await this.#rest.sessionFields();
    // Another wish came meanwhile.
    if (this.#assets !== assets) return undefined;
    this.#fields = fields;
    this.#isStopped = false;
    const query = new URLSearchParams({
      assets: assets.join(','),
      minimumIntervalMs: String(intervalMs),
    });
    this.#post({ kind: 'LISTEN', path: `/services/assets/_listen?${query.toString()}`, fields });
    return undefined;
  }

  /** Listens to the same assets again, after signing in or when the gateway is back. */
  async resume(): Promise<void> {
    await this.listen([...this.#assets]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#post({ kind: 'STOP' });
  }

  /** Ends the stream and its worker for good. */
  close(): void {
    this.#worker.terminate();
    clearTimeout(this.#painted);
  }

  find(asset: string, channel: string): LiveValue | undefined {
    return this.#values.get(keyOf(asset, channel));
  }

  historyOf(asset: string, channel: string): ChannelHistory | undefined {
    return this.#histories.get(keyOf(asset, channel));
  }

  #post(wish: StreamWish): void {
    this.#worker.postMessage(wish, []);
  }

  #take(news: StreamNews): void {
    switch (news.kind) {
      case 'RECORDS':
        this.heardMs = news.heardMs;
        for (const record of news.records) this.#note(record, news.heardMs);
        this.#become('LIVE', '');
        this.#plan();
        return;
      case 'HEARD':
        this.heardMs = news.heardMs;
        this.#become('LIVE', '');
        return;
      case 'GAP':
        for (const [key, history] of this.#histories) {
          if (news.asset === undefined || key.startsWith(`${news.asset}\n`))
            history.add(news.atMs, Number.NaN);
        }
        return;
      case 'LOST':
        for (const history of this.#histories.values()) history.add(Date.now(), Number.NaN);
        this.#become('LOST', news.reason);
        this.#plan();
        void this.#recover(news.status);
    }
  }

  async #recover(status: number): Promise<void> {
    const assets = this.#assets;
    const mayBeOpened = await this.#rest.noteLostStream(status, this.#fields);
    // Another wish came meanwhile, and none may be wanted any more.
    if (mayBeOpened && this.#assets === assets && !this.#isStopped) await this.resume();
  }

  #note(record: LiveRecord, nowMs: number): void {
    const key = keyOf(record.asset, record.name);
    const before = this.#values.get(key);
    const isGood = record.channelStatus.channelFlag === 'SUCCESS';
    const isChange = before !== undefined && before.record.value !== record.value;
    this.#values.set(key, {
      record,
      lastGood: isGood ? record : before?.lastGood,
      changedMs: isChange ? nowMs : (before?.changedMs ?? 0),
    });
    const history = this.#histories.get(key) ?? new ChannelHistory();
    this.#histories.set(key, history);
    history.add(isGood ? record.timestamp : nowMs, isGood ? toNumber(record.value) : Number.NaN);
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

function keyOf(asset: string, channel: string): string {
  return `${asset}\n${channel}`;
}

function toNumber(value: LiveRecord['value']): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : Number(value);
}
