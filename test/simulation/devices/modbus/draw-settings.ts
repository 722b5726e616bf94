import type { Random } from '../../world/random.ts';

/** Settings of a driver that do not depend on its transport, as a configuration has them. */
export interface DrawnSettings {
  readonly responseTimeoutMs: number;
  readonly maximumGap: number;
  readonly retries: number;
  readonly [setting: string]: unknown;
}

/**
 * Draws settings that operators choose.
 *
 * @param timeoutsMs time-outs that suit the transport
 */
export function drawSettings(random: Random, timeoutsMs: readonly number[]): DrawnSettings {
  const settings: DrawnSettings = {
    responseTimeoutMs: random.pick(timeoutsMs),
    maximumGap: random.pick([0, 0, 2, 8, 40]),
    retries: random.integer(0, 1),
    joinWrites: random.chance(0.8),
    ...(random.chance(0.2) ? { writeFunction: 'MULTIPLE' } : {}),
    ...(random.chance(0.2) ? { delayBetweenRequestsMs: random.pick([5, 20]) } : {}),
    ...(random.chance(0.3) ? { maximumRegistersPerRequest: random.pick([16, 32, 64]) } : {}),
    ...(random.chance(0.3) ? { busyRetries: random.integer(0, 5), busyDelayMs: random.pick([20, 200]) } : {}),
  };
  return settings;
}
