import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Random } from '../world/random.ts';

// What arrives this close together is read at once.
const COALESCED_MS = 0.2;
const MEAN_CUT_PAUSE_MS = 3;

/** How bytes travel; it may change at any time. */
export interface PathConditions {
  /** Milliseconds in each direction. */
  latencyMs: number;
  /** Bytes in each millisecond; 0: without a limit. */
  bytesPerMs: number;
  /** How often a chunk arrives in two pieces, from 0 to 1. */
  cutProbability: number;
  /** The way is interrupted: nothing arrives until it is open again. */
  isInterrupted: boolean;
}

export interface BytePipeOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  readonly path: PathConditions;
  readonly deliver: (bytes: Buffer) => void;
}

interface Travelling {
  bytes: Buffer;
  readonly dueMs: number;
}

/** One direction of a connection: bytes arrive late, in order, cut anywhere, several at once. */
export class BytePipe {
  readonly #options: BytePipeOptions;
  readonly #cancels = new Set<Cancel>();
  #newest: Travelling | undefined;
  #freeMs = 0;
  #held: Buffer[] = [];
  #isClosed = false;

  constructor(options: BytePipeOptions) {
    this.#options = options;
  }

  /** Whether bytes wait for the way to open. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Sends bytes after `afterMs` at the earliest, behind all that was sent before. */
  send(bytes: Buffer, afterMs = 0): void {
    if (this.#isClosed) return;
    const { time, random, path } = this.#options;
    if (path.isInterrupted) return void this.#held.push(bytes);
    const nowMs = time.monotonicMs();
    this.#freeMs = Math.max(this.#freeMs, nowMs + afterMs + path.latencyMs);
    if (path.bytesPerMs > 0) this.#freeMs += bytes.length / path.bytesPerMs;
    if (path.cutProbability === 0 || bytes.length === 1 || !random.chance(path.cutProbability)) {
      return this.#add(bytes, nowMs);
    }
    const at = random.integer(1, bytes.length - 1);
    this.#add(bytes.subarray(0, at), nowMs);
    this.#freeMs += random.exponential(MEAN_CUT_PAUSE_MS);
    this.#add(bytes.subarray(at), nowMs);
  }

  /** Sends what waited for the way to open; the far end hears it after `afterMs`. */
  release(afterMs: number): void {
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.send(bytes, afterMs);
  }

  /** Drops what waits for the way to open. */
  dropHeld(): void {
    this.#held = [];
  }

  /** Calls `action` when everything that was sent before has arrived. */
  whenArrived(action: () => void): void {
    const { time, path } = this.#options;
    const nowMs = time.monotonicMs();
    this.#freeMs = Math.max(this.#freeMs, nowMs + path.latencyMs);
    this.#schedule(this.#freeMs - nowMs, action);
  }

  /** Drops everything that has not arrived yet; nothing arrives from now on. */
  close(): void {
    this.#isClosed = true;
    this.#held = [];
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #add(bytes: Buffer, nowMs: number): void {
    const newest = this.#newest;
    if (newest !== undefined && this.#freeMs - newest.dueMs < COALESCED_MS) {
      newest.bytes = Buffer.concat([newest.bytes, bytes]);
      return;
    }
    const travelling: Travelling = { bytes, dueMs: this.#freeMs };
    this.#newest = travelling;
    this.#schedule(this.#freeMs - nowMs, () => {
      if (this.#newest === travelling) this.#newest = undefined;
      this.#options.deliver(travelling.bytes);
    });
  }

  #schedule(delayMs: number, action: () => void): void {
    const cancel = this.#options.time.schedule(delayMs, () => {
      this.#cancels.delete(cancel);
      action();
    });
    this.#cancels.add(cancel);
  }
}
