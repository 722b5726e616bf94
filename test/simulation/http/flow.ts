import type { Clock } from '../../../daemon/base/clock.ts';

/** Receives what comes out of one direction of a connection. */
export interface FlowTarget {
  receive(chunk: Buffer): void;
  /** Nothing more comes. */
  receiveEnd(): void;
  /** The other side has given the connection up. */
  receiveReset(): void;
}

interface FlowOptions {
  readonly time: Clock;
  readonly latencyMs: number;
  readonly target: FlowTarget;
  /** The target has taken so much that the sender may go on. */
  readonly onRoom: () => void;
}

// What the two kernels of a connection hold for a receiver that does not read.
const CAPACITY_BYTES = 131_072;

type Item = Buffer | 'END' | 'RESET';

/**
 * One direction of a simulated connection: what is sent arrives after the latency, whole and in its order.
 *
 * Chunks that are sent at one moment arrive with one event. Without latency they arrive when the sender has returned.
 */
export class Flow {
  readonly #options: FlowOptions;
  // Not yet arrived, with the time of arrival.
  readonly #underWay: { readonly dueMs: number; readonly items: Item[] }[] = [];
  // Arrived, and not yet taken.
  #unread: Item[] = [];
  #bytes = 0;
  #isPaused = false;
  #closed: 'END' | 'RESET' | undefined;
  #isDelivering = false;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** Whether a sender may go on. */
  get hasRoom(): boolean {
    return this.#bytes < CAPACITY_BYTES;
  }

  /** Whether bytes have arrived that the target has not taken. */
  get hasUnread(): boolean {
    return this.#unread[0] instanceof Buffer;
  }

  send(chunk: Buffer): void {
    if (this.#closed !== undefined || chunk.length === 0) return;
    this.#bytes += chunk.length;
    this.#add(chunk);
  }

  end(): void {
    this.#close('END');
  }

  reset(): void {
    this.#close('RESET');
  }

  /** The target takes nothing for now. */
  pause(): void {
    this.#isPaused = true;
  }

  /** The target takes what has arrived, now, and what arrives from now on. */
  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  #close(how: 'END' | 'RESET'): void {
    if (this.#closed === how || this.#closed === 'RESET') return;
    this.#closed = how;
    this.#add(how);
  }

  #add(item: Item): void {
    const { time, latencyMs } = this.#options;
    const dueMs = time.monotonicMs() + latencyMs;
    const last = this.#underWay.at(-1);
    if (last?.dueMs === dueMs) {
      last.items.push(item);
      return;
    }
    this.#underWay.push({ dueMs, items: [item] });
    if (latencyMs > 0) time.schedule(latencyMs, () => this.#arrive());
    else process.nextTick(() => this.#arrive());
  }

  #arrive(): void {
    const arrived = this.#underWay.shift();
    if (arrived === undefined) return;
    // A reset overtakes what the receiver has not taken.
    if (arrived.items.at(-1) === 'RESET') {
      this.#unread = [];
      this.#options.target.receiveReset();
      return;
    }
    if (this.#unread.length === 0) this.#unread = arrived.items;
    else this.#unread.push(...arrived.items);
    this.#deliver();
  }

  #deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    const { target, onRoom } = this.#options;
    const hadRoom = this.hasRoom;
    while (!this.#isPaused) {
      const item = this.#unread.shift();
      if (item === undefined) break;
      if (item === 'END') target.receiveEnd();
      else if (item !== 'RESET') {
        this.#bytes -= item.length;
        target.receive(item);
      }
    }
    this.#isDelivering = false;
    if (!hadRoom && this.hasRoom) onRoom();
  }
}
