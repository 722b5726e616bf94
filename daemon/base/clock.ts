import { performance } from 'node:perf_hooks';
import { setImmediate as nextImmediate } from 'node:timers/promises';

import { SpareTurns } from './spare-turns.ts';

/** Stops a pending call; calling it again does nothing. */
export type Cancel = () => void;

/** The only source of time, so that tests can inject a clock they control. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z; jumps when the system clock is set. */
  epochMs(): number;
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number;
  /**
   * Calls `action` once after `delayMs`; a pending call does not keep the process alive. After a stall of the process,
   * pending input is handled first.
   *
   * @returns a function that cancels the pending call
   */
  schedule(delayMs: number, action: () => void): Cancel;
  /** Resolves in the next iteration of the event loop, after all input that arrived before this call was handled. */
  nextTurn(): Promise<void>;
  /**
   * Resolves in an iteration of the event loop that no input needs, for one caller at a time: between the slices of long work.
   */
  spareTurn(): Promise<void>;
}

// A longer delay means that the process was not scheduled or its event loop was blocked. Input from that time, for example the
// response that an action would give up on, is handled before the action.
const STANDSTILL_MS = 20;
// Several iterations of the event loop: bytes of a serial line take more than one.
const CATCH_UP_MS = 20;

const spareTurns = new SpareTurns({
  monotonicMs: () => performance.now(),
  countEvents: () => performance.nodeTiming.uvMetricsInfo.events,
  afterNextEvents: (action) => void setImmediate(action),
});

/** The system clock. */
export const systemClock: Clock = {
  epochMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, action) {
    const dueMs = performance.now() + delayMs;
    let timer = setTimeout(() => {
      if (performance.now() - dueMs <= STANDSTILL_MS) action();
      else timer = setTimeout(action, CATCH_UP_MS).unref();
    }, delayMs).unref();
    return () => clearTimeout(timer);
  },
  nextTurn: () => nextImmediate(),
  spareTurn: () => spareTurns.next(),
};

/**
 * Waits without blocking.
 *
 * @param delayMs duration of the wait
 * @param signal ends the wait early
 * @throws the reason of `signal` when it aborts first
 */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const cancel = clock.schedule(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    function onAbort(): void {
      cancel();
      reject(signal?.reason as Error);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
