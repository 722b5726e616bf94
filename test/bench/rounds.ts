import type { Pace } from './bench.ts';
import type { Line } from './scenario.ts';
import { measureInTurn } from './statistics.ts';
import type { Results } from './statistics.ts';
import { isDecided } from './verdict.ts';

/** How many rounds figures get. */
export interface RoundLimits {
  /** From eight on, an interval rests on the order of the rounds alone. */
  readonly atLeast: number;
  readonly atMost: number;
}

const GROWTH = 1.5;
const QUICK_ROUNDS = 4;

/** Lists the counts of rounds after which figures are judged: half as many more each time, so that they are few. */
export function listLooks({ atLeast, atMost }: RoundLimits): readonly number[] {
  const looks: number[] = [];
  for (let count = atLeast; count < atMost; count = Math.ceil(count * GROWTH)) looks.push(count);
  return [...looks, atMost];
}

/**
 * Measures several things in turn until every line is decided (`isDecided`), or the limit is reached: quiet figures take few
 * rounds, and noisy ones many.
 *
 * Each look before the last needs an interval of 99 % (`isDecided`), so that all of them together err seldom: each look
 * takes the wrong side of the gate with a probability of 0.5 % at most, and the last with 2.5 %.
 *
 * @param describe returns the lines of all rounds until now
 */
export async function measureUntilDecided<Name extends string, Result>(
  { pace }: { readonly pace: Pace },
  limits: RoundLimits,
  measurements: Readonly<Record<Name, () => Promise<Result>>>,
  describe: (results: Results<Name, Result>) => readonly Line[],
): Promise<readonly Line[]> {
  if (pace === 'quick') return describe(await measureInTurn(QUICK_ROUNDS, measurements));
  const looks = listLooks(limits);
  const isEnough = (results: Results<Name, Result>, count: number): boolean =>
    looks.includes(count) && describe(results).every(isDecided);
  return describe(await measureInTurn(limits.atMost, measurements, isEnough));
}
