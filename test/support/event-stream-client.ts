import type { ClientRequest } from 'node:http';
import { request } from 'node:https';

import type { ClientOptions } from './https-client.ts';
import type { Owner } from './temporary-directory.ts';

/** One event as a browser would understand it (WHATWG HTML, 9.2.6). */
export interface ReceivedEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Cuts a stream into its events; comments and events without data are left out. */
export class EventParser {
  #rest = '';
  /** Id of the newest block that had one, with data or without. */
  lastEventId: string | undefined;

  feed(text: string): readonly ReceivedEvent[] {
    const blocks = `${this.#rest}${text}`.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = new Map(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      this.lastEventId = fields.get('id') ?? this.lastEventId;
      const data = fields.get('data');
      if (data === undefined) return [];
      return [
        { type: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) as unknown },
      ];
    });
  }
}

/** The request for a stream, and the client that sends it. */
export interface StreamRequest extends Pick<ClientOptions, 'port' | 'certificate' | 'privateKey'> {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A client of a stream of events; it accepts any certificate of the server. */
export class EventStreamClient {
  readonly events: ReceivedEvent[] = [];
  readonly #request: ClientRequest;
  readonly #parser = new EventParser();
  readonly #closed: Promise<unknown>;
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

  constructor(t: Owner, { port, path, headers = {}, certificate, privateKey }: StreamRequest) {
    const pair = certificate === undefined ? {} : { cert: certificate, key: privateKey };
    this.#request = request(
      { host: '127.0.0.1', port, path, headers, agent: false, rejectUnauthorized: false, ...pair },
      (answer) => {
        answer.setEncoding('utf8').on('data', (text: string) => {
          this.events.push(...this.#parser.feed(text));
          this.#notify();
        });
        // A stream that is cut off ends as well; its content shows which.
        answer.on('error', () => undefined).once('close', end);
      },
    );
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#closed = promise.then(() => {
      this.#isClosed = true;
      this.#notify();
    });
    this.#request.on('error', () => end()).end();
    t.after(() => this.close());
  }

  /** Resolves with the first id, which a stream of events has before any event. */
  async opened(): Promise<string> {
    for (;;) {
      const { lastEventId } = this.#parser;
      if (lastEventId !== undefined) return lastEventId;
      if (this.#isClosed) throw new Error('the stream ended before it had an id');
      await this.#wake.promise;
    }
  }

  /** Returns the first event at or after a position that fits. */
  async find(fits: (event: ReceivedEvent) => boolean, from = 0): Promise<ReceivedEvent> {
    for (;;) {
      const found = this.events.slice(from).find(fits);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`the stream ended with ${JSON.stringify(this.events)}`);
      await this.#wake.promise;
    }
  }

  /** Resolves when the gateway has ended the stream. */
  async ended(): Promise<void> {
    await this.#closed;
  }

  async close(): Promise<void> {
    this.#request.destroy();
    await this.#closed;
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
