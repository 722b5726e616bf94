import { RestFailure } from '../api/rest-failure.ts';
import type { Rest, SessionFields } from '../api/rest.ts';
import { RetryPause } from './retry-pause.ts';
import type { StreamNews } from './stream-messages.ts';

/** A stream of values, received by a worker so that the page has time for what it shows. */
export class ValueStream {
  readonly #rest: Rest;
  readonly #onNews: (news: StreamNews) => void;
  #query: URLSearchParams | undefined;
  #worker: Worker | undefined;

  constructor(rest: Rest, onNews: (news: StreamNews) => void) {
    this.#rest = rest;
    this.#onNews = onNews;
  }

  /** Receives the stream with these parameters from now on, and no other. */
  async open(query: URLSearchParams): Promise<void> {
    this.close();
    this.#query = query;
    const fields = await this.#findFields(query);
    // Another was opened meanwhile, or none is wanted any more.
    if (fields === undefined || this.#query !== query) return;
    const worker = new Worker(new URL('./stream-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<StreamNews>) => {
      this.#onNews(data);
      if (data.kind === 'LOST') void this.#recover(query, data.status, fields);
    });
    worker.postMessage({ path: `/services/assets/_listen?${query.toString()}`, fields }, []);
  }

  close(): void {
    this.#query = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Asks for the fields of the session until the gateway answers, or the stream is wanted no more. */
  async #findFields(query: URLSearchParams): Promise<SessionFields | undefined> {
    const pause = new RetryPause();
    while (this.#query === query) {
      try {
        return await this.#rest.sessionFields();
      } catch (error) {
        if (!(error instanceof RestFailure)) throw error;
        this.#onNews({ kind: 'LOST', status: 0, reason: '' });
      }
      await pause.wait();
    }
    return undefined;
  }

  /** Opens it again on the session of another tab, if the own one has ended. */
  async #recover(query: URLSearchParams, status: number, fields: SessionFields): Promise<void> {
    const mayBeOpened = await this.#rest.noteLostStream(status, fields);
    if (mayBeOpened && this.#query === query) await this.open(query);
  }
}
