import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { createRequestQueue } from '../../link/request-queue.ts';
import { isWrite } from '../pdu/modbus-functions.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { LateAnswerGuard } from './late-answer-guard.ts';

const QUEUE_FULL_CODE = 'MODBUS_QUEUE_FULL';

export interface LineTurnsOptions {
  readonly clock: Clock;
  /** Requests that may be under way at once. */
  readonly depth: number;
  /** Units from which a late answer may come; absent where a late answer is told from others by its number. */
  readonly settling?: LateAnswerGuard | undefined;
  /** Returns how many milliseconds a unit has to rest before its next request, in which others may be asked. */
  readonly restMs?: (unitId: number) => number;
  /** Whether one request at a time is under way from now on, whatever the depth. */
  readonly isOneAtATime?: () => boolean;
}

/** What a turn is for: the unit, and a function that it uses. */
export type Turn = Pick<LineRequest, 'unitId' | 'functionCode'>;

/** Signals that end the wait for a turn. */
export interface TurnSignals {
  readonly signal: AbortSignal;
  /** Aborts when the line is closed. */
  readonly closing: AbortSignal;
}

/** Schedules the requests of a line: units take turns, each keeps its order, and writes run one at a time. */
export class LineTurns {
  readonly #options: LineTurnsOptions;
  readonly #queue: Semaphore;
  /** One write at a time, so that writes keep their order where several requests are under way. */
  readonly #writeQueue = createRequestQueue(QUEUE_FULL_CODE);
  /** Of the requests whose turn has come; as many as the depth wait in it. */
  readonly #narrowing = new Semaphore();

  constructor(options: LineTurnsOptions) {
    this.#options = options;
    this.#queue = createRequestQueue(QUEUE_FULL_CODE, options.depth);
  }

  /** Whether no request runs or waits. */
  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  /** Runs the work of a request when its turn comes; see `Semaphore.run`. */
  async run<T>(request: Turn, { signal, closing }: TurnSignals, work: () => Promise<T>): Promise<T> {
    const { unitId } = request;
    // A unit that is not to be asked yet waits outside the queue and delays no other.
    for (;;) {
      const waitMs = this.#remainingMs(unitId);
      if (waitMs > 0) await delay(this.#options.clock, waitMs, AbortSignal.any([signal, closing]));
      const result = await this.#enqueue(request, signal, async () => {
        // The one before may have been left without an answer.
        const isReady = this.#remainingMs(unitId) === 0;
        return isReady ? { value: await this.#narrow(unitId, signal, work) } : undefined;
      });
      if (result !== undefined) return result.value;
    }
  }

  /** Waits in a turn until the unit may be asked: an answer to a request before may come late. */
  async settle(unitId: number, { signal, closing }: TurnSignals): Promise<void> {
    for (let waitMs = this.#remainingMs(unitId); waitMs > 0; waitMs = this.#remainingMs(unitId)) {
      await delay(this.#options.clock, waitMs, AbortSignal.any([signal, closing]));
    }
  }

  /** Refuses all requests that wait. */
  clear(error: Error): void {
    this.#queue.clear(error);
    this.#writeQueue.clear(error);
    this.#narrowing.clear(error);
  }

  #narrow<T>(unitId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { depth, isOneAtATime } = this.#options;
    return depth > 1 && isOneAtATime?.() === true ? this.#narrowing.run(signal, work, unitId) : work();
  }

  #enqueue<T>(request: Turn, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const { unitId } = request;
    const run = (): Promise<T> => this.#queue.run(signal, task, unitId);
    const isOrdered = this.#options.depth > 1 && isWrite(request);
    return isOrdered ? this.#writeQueue.run(signal, run, unitId) : run();
  }

  #remainingMs(unitId: number): number {
    const { settling, restMs } = this.#options;
    return Math.max(settling?.remainingMs(unitId) ?? 0, restMs?.(unitId) ?? 0);
  }
}
