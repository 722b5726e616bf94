import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';

/** How busy people are. */
export interface Pace {
  /** Returns a pause of a quiet time as it is now. */
  scale(pauseMs: number): number;
}

// A few minutes now and then, in which everyone hurries: queues, limits and races show only then.
const QUIET_MS = 6 * 3_600_000;
const BUSY_MS = 60_000;
const HURRY = 100;

/** Lets quiet and busy times take turns. */
export function createPace({
  time,
  random,
}: {
  readonly time: SimulatedTime;
  readonly random: Random;
}): Pace {
  let isBusy = false;
  let endMs = random.exponential(QUIET_MS / 4);
  return {
    scale(pauseMs) {
      const nowMs = time.tempo.activityAt(time.monotonicMs());
      while (nowMs >= endMs) {
        isBusy = !isBusy;
        endMs += random.exponential(isBusy ? BUSY_MS : QUIET_MS);
      }
      // Nobody sleeps through a busy time.
      const untilChangeMs = endMs - nowMs;
      return isBusy ? pauseMs / HURRY : Math.min(pauseMs, Math.max(1000, untilChangeMs));
    },
  };
}
