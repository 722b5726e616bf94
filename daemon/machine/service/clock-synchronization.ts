import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Clock } from '../../base/clock.ts';

/** Returns true if the system clock is synchronized; undefined if unknown. */
export type FindClockSynchronization = () => Promise<boolean | undefined>;

// Metrics are collected more often than a clock loses its source.
const KEPT_MS = 60_000;
const TIMEOUT_MS = 5_000;

/** Creates a check that runs `timedatectl`, at most once a minute. */
export function createClockSynchronization(clock: Pick<Clock, 'monotonicMs'>): FindClockSynchronization {
  let askedAtMs = -Infinity;
  let answer: Promise<boolean | undefined> = Promise.resolve(undefined);
  return () => {
    if (clock.monotonicMs() - askedAtMs >= KEPT_MS) {
      askedAtMs = clock.monotonicMs();
      answer = ask();
    }
    return answer;
  };
}

async function ask(): Promise<boolean | undefined> {
  try {
    const parameters = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', parameters, { timeout: TIMEOUT_MS });
    const [word] = stdout.split('\n');
    return word === 'yes' ? true : word === 'no' ? false : undefined;
  } catch {
    return undefined;
  }
}
