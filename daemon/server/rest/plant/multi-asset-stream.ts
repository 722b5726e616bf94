import type { GrantedAsset } from '../../../plant/access/granted-asset.ts';
import type {
  GrantedEvent,
  GrantedListenRequest,
  GrantedListener,
} from '../../../plant/access/granted-listener.ts';
import type { EventFlow, EventSink, StreamEvent } from '../../http/stream/event-stream.ts';
import type { ListenParameters } from './listen-query.ts';
import type { RenderRecords } from './record-json.ts';

/** One asset of a joined stream, and what is wanted of it. */
interface ListenedAsset {
  readonly pid: string;
  readonly asset: GrantedAsset;
  readonly parameters: ListenParameters;
}

interface MultiAssetOptions {
  readonly assets: readonly ListenedAsset[];
  /** The id of an event of an earlier stream of the same assets. */
  readonly lastEventId: string | undefined;
  readonly sink: EventSink;
  readonly renderRecords: RenderRecords;
  /** True if records have the names of their values. */
  readonly hasLabels: boolean;
}

type EndReason = Parameters<GrantedListenRequest['output']['end']>[0];

// No id of an asset holds it.
const SEPARATOR = '.';

/**
 * Sends the events of several assets as one stream: each event is of one asset, which its records or its data name.
 *
 * An id holds the position in each asset, in the order of the assets, so that one `Last-Event-ID` resumes them all. The part
 * of an asset that changes, is removed or may no longer be read ends with a `gap` and its reason; the others continue. The
 * stream ends with the last of them, or at once when its caller is no longer authenticated.
 */
export class MultiAssetStream implements EventFlow {
  readonly #options: MultiAssetOptions;
  /** The newest id of each asset, in their order; empty where there is none to resume after. */
  readonly #ids: string[];
  readonly #listeners = new Map<string, GrantedListener>();
  readonly #ended = new Set<string>();
  #isStopped = false;
  #turn = 0;

  constructor(options: MultiAssetOptions) {
    const { assets, lastEventId } = options;
    this.#options = options;
    const ids = lastEventId?.split(SEPARATOR) ?? [];
    // With another number of parts it is the id of another stream: unknown to every asset.
    this.#ids = assets.map((_asset, index) =>
      ids.length === assets.length ? (ids[index] ?? '') : (lastEventId ?? ''),
    );
  }

  /** Subscribes to each asset; the first events may be sent before this returns. */
  start(): void {
    for (const [index, { pid, asset, parameters }] of this.#options.assets.entries()) {
      const lastEventId = this.#ids[index] || undefined;
      const listener = asset.listen({ ...parameters, lastEventId, output: this.#createOutput(index) });
      if (!this.#ended.has(pid)) this.#listeners.set(pid, listener);
    }
  }

  resume(): void {
    // Each time another asset is the first: a slow client must not lose the changes of the last one alone.
    const listeners = [...this.#listeners.values()];
    this.#turn += 1;
    for (const index of listeners.keys()) listeners[(index + this.#turn) % listeners.length]?.resume();
  }

  check(): void {
    for (const listener of this.#listeners.values()) listener.check();
  }

  stop(): void {
    this.#isStopped = true;
    for (const listener of this.#listeners.values()) listener.stop();
    this.#listeners.clear();
  }

  #createOutput(index: number): GrantedListenRequest['output'] {
    const { sink } = this.#options;
    return {
      get isFull() {
        return sink.isFull;
      },
      send: (event) => sink.send(this.#toStreamEvent(index, event)),
      end: (reason) => this.#endPart(index, reason),
    };
  }

  #toStreamEvent(index: number, event: GrantedEvent): StreamEvent {
    const pid = this.#pidOf(index);
    const { renderRecords, hasLabels } = this.#options;
    const { type } = event;
    if (type === 'gap') {
      this.#ids[index] = '';
      return { type, data: JSON.stringify({ asset: pid, reason: event.reason }) };
    }
    if (event.id !== undefined) this.#ids[index] = event.id;
    const id = event.id === undefined ? undefined : this.#ids.join(SEPARATOR);
    return { id, type, data: renderRecords(event.records, { asset: pid, hasLabels }) };
  }

  #endPart(index: number, reason: EndReason): void {
    if (this.#isStopped) return;
    const { sink, assets } = this.#options;
    const pid = this.#pidOf(index);
    this.#listeners.delete(pid);
    this.#ended.add(pid);
    this.#ids[index] = '';
    if (reason === 'NOT_AUTHENTICATED') {
      sink.end(reason);
      return;
    }
    sink.send({ type: 'gap', data: JSON.stringify({ asset: pid, reason }) });
    if (this.#ended.size === assets.length) sink.end(reason);
  }

  #pidOf(index: number): string {
    return this.#options.assets[index]?.pid ?? '';
  }
}
