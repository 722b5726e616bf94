import { getEventListeners } from 'node:events';

/** The signals of a life of the gateway that depend on other signals. */
interface LifeSignals {
  /** Takes what listens to them away: it is of a process that has died, and hears nothing any more. */
  forget(): void;
}

// The list may grow by this many before collected signals are removed from it.
const LISTED = 1000;

/**
 * Keeps account of the signals that are combined from others from now on, until the next call.
 *
 * The runtime holds a combined signal with listeners until it is aborted, and with it everything that they hold. A gateway that
 * was killed aborts nothing, so the whole of it would stay in this process.
 */
export function watchSignals(): LifeSignals {
  let signals: WeakRef<AbortSignal>[] = [];
  let listable = LISTED;
  AbortSignal.any = (sources) => {
    const signal = combine(sources);
    signals.push(new WeakRef(signal));
    if (signals.length > listable) {
      signals = signals.filter((one) => one.deref() !== undefined);
      listable = signals.length + LISTED;
    }
    return signal;
  };
  return {
    forget() {
      for (const one of signals) {
        const signal = one.deref();
        if (signal === undefined) continue;
        for (const listener of getEventListeners(signal, 'abort'))
          signal.removeEventListener('abort', listener as () => void);
      }
      signals = [];
    },
  };
}

const combine = AbortSignal.any.bind(AbortSignal);
