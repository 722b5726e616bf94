import type { ServerResponse, IncomingMessage } from 'node:http';

import type { Reservation } from '../../../base/sharing/byte-budget.ts';
import type { Cancel, Clock } from '../../../base/clock.ts';
import { COUNTED_BYTES, STALL_LIMIT_MS } from '../connection/connection.ts';

/** One event as sent to a client (WHATWG HTML, 9.2.5); absent fields are left out. */
export interface StreamEvent {
  /** Sent by the client as Last-Event-ID when it reconnects; without line breaks. */
  readonly id?: string | undefined;
  /** Name under which the client receives the event. */
  readonly type?: string | undefined;
  /** JSON text without line breaks; where several clients get the same, its bytes in UTF-8. */
  readonly data?: string | Buffer | undefined;
}

/** Receives the events of an operation. */
export interface EventSink {
  /** True if the client has not read what was sent; sending more makes memory grow. */
  readonly isFull: boolean;
  send(event: StreamEvent): void;
  /** Sends the reason for the end, and closes the connection. */
  end(reason: string): void;
}

/** An operation that sends events. */
export interface EventFlow {
  /** The client reads again. */
  resume(): void;
  /** Rechecks the access of the client; called every `TICK_MS`. */
  check?(): void;
  /** Called once, when the client has disconnected or the stream has ended. */
  stop(): void;
}

/** Starts sending events; may send the first before it returns. */
export type OpenEventFlow = (sink: EventSink) => EventFlow;

/** Maximum time without an event or a comment, so that both sides and proxies keep the connection open. */
export const HEARTBEAT_INTERVAL_MS = 15_000;

/** Interval at which a stream checks whether it may continue. */
export const TICK_MS = 5000;

const RECONNECT_MS = 2000;

interface EventStreamOptions {
  readonly response: ServerResponse;
  /** Counts the bytes that the client has not read; ends with the response. */
  readonly reservation: Reservation;
  readonly open: OpenEventFlow;
  /** Called every `TICK_MS` until the stream ends. */
  readonly onTick: () => void;
  /** Called once, when the connection is closed. */
  readonly onClose: () => void;
  readonly clock: Clock;
}

/** One event stream; the head of its response has been sent. */
export class EventStream implements EventSink {
  readonly #options: EventStreamOptions;
  #flow: EventFlow | undefined;
  #isEnded = false;
  #heardMs: number;
  #takenMs: number;
  #cancelTick: Cancel | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#heardMs = options.clock.monotonicMs();
    this.#takenMs = this.#heardMs;
  }

  get isFull(): boolean {
    return this.#options.response.writableNeedDrain;
  }

  start(): void {
    const { response, reservation, open } = this.#options;
    response.on('error', () => response.destroy());
    response.on('drain', () => {
      reservation.resize(0);
      this.#flow?.resume();
    });
    response.once('close', () => this.#close());
    response.write(`retry: ${RECONNECT_MS}\n\n`);
    this.#planTick();
    const flow = open(this);
    if (this.#isEnded) flow.stop();
    else this.#flow = flow;
  }

  send({ id, type, data }: StreamEvent): void {
    if (this.#isEnded) return;
    this.#heardMs = this.#options.clock.monotonicMs();
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(type === undefined ? [] : [`event: ${type}`]),
      ...(data === undefined ? [] : [`data: ${typeof data === 'string' ? data : ''}`]),
    ];
    const { response, reservation } = this.#options;
    const text = lines.join('\n');
    if (typeof data === 'object') {
      response.write(text);
      response.write(data);
      response.write('\n\n');
    } else response.write(`${text}\n\n`);
    const { writableLength } = response;
    if (writableLength >= COUNTED_BYTES && !reservation.resize(writableLength)) response.destroy();
  }

  end(reason: string): void {
    if (this.#isEnded) return;
    this.send({ type: 'end', data: JSON.stringify({ reason }) });
    this.#stopFlow();
    this.#options.response.end();
  }

  #stopFlow(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#flow?.stop();
    this.#flow = undefined;
  }

  #close(): void {
    this.#stopFlow();
    this.#cancelTick?.();
    this.#options.onClose();
  }

  // Continues after the end until the connection is closed: a client may leave the last bytes unread.
  #planTick(): void {
    this.#cancelTick = this.#options.clock.schedule(TICK_MS, () => {
      this.#planTick();
      this.#tick();
    });
  }

  #tick(): void {
    const { response, onTick, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (!this.isFull && !this.#isEnded) this.#takenMs = nowMs;
    if (nowMs - this.#takenMs >= STALL_LIMIT_MS) {
      response.destroy();
      return;
    }
    if (this.#isEnded) return;
    // Not later than the interval, however its end lies between two ticks.
    if (!this.isFull && nowMs + TICK_MS - this.#heardMs > HEARTBEAT_INTERVAL_MS) {
      this.#heardMs = nowMs;
      response.write(':\n\n');
    }
    this.#flow?.check?.();
    onTick();
  }
}

/** Returns the `Last-Event-ID` of a client that resumes (WHATWG HTML, 9.2.4); undefined if absent. */
export function findLastEventId({ headers }: IncomingMessage): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
