import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { createRequestQueue } from '../../link/request-queue.ts';
import { isWrite } from '../pdu/modbus-functions.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { LateResponseGuard } from './late-response-guard.ts';

const QUEUE_FULL_CODE = 'MODBUS_QUEUE_FULL';

export interface RequestSchedulerOptions {
  readonly clock: Clock;
  /** Maximum outstanding requests. */
  readonly depth: number;
  /** Units that may send a late response; absent if a transaction identifier distinguishes responses. */
  readonly settling?: LateResponseGuard | undefined;
  /** Returns the pause, in milliseconds, before the next request to a unit, in which other units may be polled. */
  readonly restMs?: (unitId: number) => number;
  /** True if only one request may be outstanding from now on, whatever the depth. */
  readonly isOneAtATime?: () => boolean;
}

/** A request to schedule: its unit and a function that it uses. */
export type ScheduledRequest = Pick<LineRequest, 'unitId' | 'functionCode'>;

/** Signals that end the wait of a queued request. */
export interface ScheduleSignals {
  readonly signal: AbortSignal;
  /** Aborts when the line is closed. */
  readonly closing: AbortSignal;
}

/**
 * Schedules the requests of a line: units alternate, the requests of each unit keep their order, and writes run one at
 * a time.
 */
export class RequestScheduler {
  readonly #options: RequestSchedulerOptions;
  readonly #queue: Semaphore;
  /** One write at a time, so that writes keep their order although several requests may be outstanding. */
  readonly #writeQueue = createRequestQueue(QUEUE_FULL_CODE);
  /** Serializes scheduled requests while `isOneAtATime`; as many as `depth` wait in it. */
  readonly #singleQueue = new Semaphore();

  constructor(options: RequestSchedulerOptions) {
    this.#options = options;
    this.#queue = createRequestQueue(QUEUE_FULL_CODE, options.depth);
  }

  /** True if no request is running or queued. */
  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  /** Runs the work of a request when it is scheduled; see `Semaphore.run`. */
  async run<T>(
    request: ScheduledRequest,
    { signal, closing }: ScheduleSignals,
    work: () => Promise<T>,
  ): Promise<T> {
    const { unitId } = request;
    // A unit that must not be polled yet waits outside the queue and delays no other unit.
    for (;;) {
      const waitMs = this.#remainingMs(unitId);
      if (waitMs > 0) await delay(this.#options.clock, waitMs, AbortSignal.any([signal, closing]));
      const result = await this.#enqueue(request, signal, async () => {
        // The previous request may have timed out.
        const isReady = this.#remainingMs(unitId) === 0;
        return isReady ? { value: await this.#limitDepth(unitId, signal, work) } : undefined;
      });
      if (result !== undefined) return result.value;
    }
  }

  /** Waits, while scheduled, until the unit may be polled: the response to an earlier request may be late. */
  async settle(unitId: number, { signal, closing }: ScheduleSignals): Promise<void> {
    for (let waitMs = this.#remainingMs(unitId); waitMs > 0; waitMs = this.#remainingMs(unitId)) {
      await delay(this.#options.clock, waitMs, AbortSignal.any([signal, closing]));
    }
  }

  /** Rejects all queued requests. */
  clear(error: Error): void {
    this.#queue.clear(error);
    this.#writeQueue.clear(error);
    this.#singleQueue.clear(error);
  }

  #limitDepth<T>(unitId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { depth, isOneAtATime } = this.#options;
    return depth > 1 && isOneAtATime?.() === true ? this.#singleQueue.run(signal, work, unitId) : work();
  }

  #enqueue<T>(request: ScheduledRequest, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
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
