import type { IncomingMessage, Server } from 'node:http';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { ServerSocket } from './server-socket.ts';

/**
 * Ends requests that arrive too slowly, as the runtime does, but by the simulated clock: the head has to be there in
 * `headersTimeout` from its first byte, or from the beginning of the connection, and the body in `requestTimeout`.
 */
export class RequestDeadline {
  readonly #time: Clock;
  readonly #server: Server;
  readonly #socket: ServerSocket;
  #latest: IncomingMessage | undefined;
  #isBegun = true;
  #limitMs = 0;
  #startMs: number;
  #cancel: Cancel | undefined;

  constructor(options: { readonly time: Clock; readonly server: Server; readonly socket: ServerSocket }) {
    this.#time = options.time;
    this.#server = options.server;
    this.#socket = options.socket;
    this.#startMs = this.#time.monotonicMs();
    this.#plan(this.#server.headersTimeout);
  }

  /** No request is being received. */
  get isIdle(): boolean {
    return !this.#isBegun || this.#latest?.complete === true;
  }

  /** Notes that the head of a request is complete. */
  noteHead(request: IncomingMessage): void {
    this.#latest = request;
  }

  /** Notes that bytes are about to be parsed. */
  noteBytes(): void {
    if (!this.isIdle) return;
    this.#isBegun = true;
    this.#latest = undefined;
    this.#startMs = this.#time.monotonicMs();
  }

  /** Notes that the bytes have been parsed. */
  noteParsed(): void {
    if (this.#latest?.complete === true) {
      this.#isBegun = false;
      this.stop();
      return;
    }
    if (this.#socket.readableLength > 0) return;
    const { headersTimeout, requestTimeout } = this.#server;
    const limitMs = this.#latest === undefined ? headersTimeout : requestTimeout;
    if (this.#cancel === undefined || this.#limitMs !== limitMs) this.#plan(limitMs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #plan(limitMs: number): void {
    this.stop();
    this.#limitMs = limitMs;
    const delayMs = this.#startMs + limitMs - this.#time.monotonicMs();
    this.#cancel = this.#time.schedule(delayMs, () => {
      this.#cancel = undefined;
      if (this.#latest?.complete === true || this.#socket.destroyed) return;
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      this.#socket.emit('error', error);
    });
  }
}
