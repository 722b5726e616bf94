import type { Owner } from '../support/temporary-directory.ts';
import type { Interval } from './interval.ts';
import { compareVersions } from './interval.ts';
import { Bench } from './bench.ts';
import type { BenchOptions } from './bench.ts';
import type { Program } from './program.ts';
import type { ComparableScenario, Measurement, Reading } from './scenario.ts';
import { median } from './statistics.ts';
import { formatRows } from './report-rows.ts';

/** A figure of two versions. */
export interface VersionsLine {
  readonly name: string;
  readonly other: string;
  readonly own: string;
  readonly ratio: number;
  readonly interval: Interval;
  readonly verdict: string;
}

/** How two versions are measured. */
export interface Versions extends Omit<BenchOptions, 'program'> {
  readonly other: Program;
  /** Ends what is open when it ends early. */
  readonly owner: Owner;
}

/** The lines of a scenario, and how its requests went. */
export interface VersionsResult {
  readonly lines: readonly VersionsLine[];
  readonly requests: number;
  readonly failures: number;
}

// With 12, one pair may go astray, with 8 none (intervalOfMedian).
const PAIRS = { full: 12, quick: 8 };

type Pair = readonly [other: Bench, own: Bench];
/** What was measured of the same thing: rounds of the other version and of ours. */
type Rounds = readonly [other: number[], own: number[]];

/**
 * Measures a scenario of two versions in turn. Each pair of gateways is new, as one process is a little faster than the
 * next for as long as it lives; within a pair, the rounds alternate, and the ratio of a pair is the median of theirs.
 */
export async function measureVersions(
  scenario: ComparableScenario,
  { other, owner, ...options }: Versions,
): Promise<VersionsResult> {
  const pairs: ReadonlyMap<string, Rounds>[] = [];
  const readings = new Map<string, Reading>();
  let [requests, failures] = [0, 0];
  const count = PAIRS[options.pace];
  while (pairs.length < count) {
    const pair: Pair = [new Bench({ ...options, program: other }), new Bench(options)];
    for (const bench of pair) owner.after(() => bench.end());
    try {
      const rounds = new Map<string, Rounds>();
      for (const [side, reading] of await measurePair(scenario, pair, pairs.length)) {
        readings.set(reading.name, reading);
        const kept = rounds.get(reading.name) ?? [[], []];
        kept[side].push(reading.value);
        rounds.set(reading.name, kept);
      }
      pairs.push(rounds);
    } finally {
      for (const bench of pair) await bench.end();
    }
    for (const { tally } of pair) {
      requests += tally.requests;
      failures += tally.failures;
    }
  }
  return { lines: [...readings.values()].map((reading) => describe(reading, pairs)), requests, failures };
}

/** @param index of the pair: every second one begins with our version */
async function measurePair(
  scenario: ComparableScenario,
  pair: Pair,
  index: number,
): Promise<readonly (readonly [side: 0 | 1, reading: Reading])[]> {
  const prepared: [readonly Measurement[], readonly Measurement[]] = [[], []];
  const sides: readonly (0 | 1)[] = index % 2 === 0 ? [0, 1] : [1, 0];
  for (const side of sides) prepared[side] = await scenario.prepare(pair[side]);
  const found: (readonly [0 | 1, Reading])[] = [];
  for (let round = 0; round < pair[0].choose({ full: 10, quick: 6 }); round += 1) {
    for (const at of prepared[0].keys()) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const readings = (await prepared[side][at]?.()) ?? [];
        found.push(...readings.map((reading) => [side, reading] as const));
      }
    }
  }
  return found;
}

function describe(
  { name, unit, better }: Reading,
  pairs: readonly ReadonlyMap<string, Rounds>[],
): VersionsLine {
  const rounds = pairs.map((pair): Rounds => pair.get(name) ?? [[], []]);
  const value = (side: 0 | 1): string => {
    const middle = median(rounds.flatMap((each) => each[side]));
    return `${middle.toFixed(middle >= 100 ? 0 : middle >= 10 ? 1 : 2)} ${unit}`;
  };
  const ratios = rounds.map(([other, own]) =>
    median(own.map((each, round) => each / (other[round] ?? Number.NaN))),
  );
  return { name, other: value(0), own: value(1), ...compareVersions(ratios, better) };
}

/** Returns the table of two versions. */
export function formatVersions(lines: readonly VersionsLine[], commit: string): string {
  const heading = /^[\da-f]{13,}$/.test(commit) ? commit.slice(0, 12) : commit;
  return formatRows(
    ['what', heading, 'ours', 'ours ÷ other', 'spread', 'verdict'],
    lines.map(({ name, other, own, ratio, interval: { low, high }, verdict }) => [
      name,
      other,
      own,
      `${ratio.toFixed(3)} ×`,
      `${low.toFixed(3)} to ${high.toFixed(3)}`,
      verdict,
    ]),
  );
}
