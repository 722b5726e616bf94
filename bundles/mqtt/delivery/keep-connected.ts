import { LinkEnded } from '../broker/broker-link.ts';
import type { Words } from '../words.ts';
import type { Time } from '../time.ts';
import { delayBefore } from './backoff.ts';

/** How a connection ended. */
export interface ConnectionOutcome {
  readonly end: LinkEnded;
  /** 0: it was not made. */
  readonly lastedMs: number;
  /** The next broker is tried at once, although this one could be used. */
  readonly isWalking?: boolean;
}

interface KeepConnectedOptions {
  /** Of the gateway, as `phaseOf` returns it. */
  readonly phase: number;
  readonly time: Time;
  readonly status: {
    setDisconnected(reason: Words, isPermanent: boolean, delayMs?: number): void;
    forgetBrokers(): void;
    count(name: 'reconnects'): void;
  };
  /** Returns a signal that aborts when the settings of the connection change again. */
  readonly begin: () => AbortSignal;
  readonly countBrokers: () => number;
  /** Connects to a broker and serves the connection until it ends or `changed` aborts. Never rejects. */
  readonly connect: (broker: number, changed: AbortSignal) => Promise<ConnectionOutcome>;
}

/** A connection that lasted this long was a good one: the next delay is the shortest. */
const STABLE_MS = 60_000;

/** Keeps a connection to one of several brokers until `stopped` aborts. When the settings change, the first broker is tried first. */
export async function keepConnected(options: KeepConnectedOptions, stopped: AbortSignal): Promise<void> {
  const { begin, status } = options;
  while (!stopped.aborted) {
    await reconnectUntil(AbortSignal.any([stopped, begin()]), options);
    status.forgetBrokers();
  }
  status.setDisconnected({ en: 'stopped', de: 'beendet' }, false);
}

/** A broker that cannot be used is followed by the next one, at once within a round, and after a growing delay after it. */
async function reconnectUntil(changed: AbortSignal, options: KeepConnectedOptions): Promise<void> {
  const { phase, time, status, countBrokers, connect } = options;
  const brokers = countBrokers();
  for (let [index, failures] = [0, 0]; ;) {
    const { end, lastedMs, isWalking = false } = await connect(index % brokers, changed);
    if (changed.aborted) return;
    if (lastedMs >= STABLE_MS) failures = 0;
    if (isWalking || lastedMs < STABLE_MS) index += 1;
    status.setDisconnected(end.words, end.isPermanent);
    // The other brokers of a round are tried at once.
    if ((isWalking || lastedMs === 0) && index % brokers !== 0) continue;
    const delayMs = delayBefore(failures, phase, time.random());
    failures += 1;
    status.setDisconnected(end.words, end.isPermanent, delayMs);
    status.count('reconnects');
    await time.sleep(delayMs, changed).catch(() => {});
    if (changed.aborted) return;
  }
}

/** Returns an error as the end of a connection. */
export function toLinkEnded(error: unknown): LinkEnded {
  if (error instanceof LinkEnded) return error;
  return new LinkEnded(error instanceof Error ? error.message : String(error), { cause: error });
}
