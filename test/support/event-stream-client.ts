import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { Owner } from './temporary-directory.ts';

/** One event as a browser would understand it (WHATWG HTML, 9.2.6). */
export interface ReceivedEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Cuts a stream into its events; comments and what has no data are left out. */
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

/** `curl -N` on a stream of events. */
export class CurlStream {
  readonly events: ReceivedEvent[] = [];
  readonly #process: ChildProcess;
  readonly #parser = new EventParser();
  readonly #closed: Promise<unknown>;
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

  constructor(t: Owner, parameters: readonly string[]) {
    this.#process = spawn('curl', ['-sNk', ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#closed = once(this.#process, 'close').then(() => {
      this.#isClosed = true;
      this.#notify();
    });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.events.push(...this.#parser.feed(text));
      this.#notify();
    });
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

  /** Gives the first event at or after a position that fits. */
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
    this.#process.kill();
    await this.#closed;
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
