import type { TargetOf } from '../../interface/endpoint.ts';
import type { listenToAssets } from '../../interface/plant/listening.ts';
import { toAddress } from '../api/gateway-link.ts';
import type { Rest } from '../api/rest.ts';
import type { StreamMessage } from './stream-messages.ts';

/** Value stream, received in a worker to keep the page responsive. */
export class ValueStream {
  readonly #rest: Rest;
  readonly #onMessage: (message: StreamMessage) => void;
  #query: URLSearchParams | undefined;
  #worker: Worker | undefined;

  constructor(rest: Rest, onMessage: (message: StreamMessage) => void) {
    this.#rest = rest;
    this.#onMessage = onMessage;
  }

  /** Receives exactly the stream with these parameters from now on. */
  async open(query: URLSearchParams): Promise<void> {
    this.close();
    this.#query = query;
    const found = await this.#rest.awaitSessionFields();
    // Another stream was opened in the meantime, or none is needed any more.
    if (found === undefined || this.#query !== query) return;
    let fields = found;
    const worker = new Worker(new URL('./stream-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    const target: TargetOf<typeof listenToAssets> = `/services/assets/_listen?${query.toString()}`;
    const listen = (): void => worker.postMessage({ path: toAddress(target), fields }, []);
    const recover = async (lost: Extract<StreamMessage, { kind: 'LOST' }>): Promise<void> => {
      const next = await this.#rest.awaitReopening(lost, fields);
      if (next === undefined || this.#query !== query) return;
      fields = next;
      listen();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<StreamMessage>) => {
      this.#onMessage(data);
      if (data.kind === 'LOST') void recover(data);
    });
    listen();
  }

  close(): void {
    this.#query = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
