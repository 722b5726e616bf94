/** Returns the middle value; of an even number of values the mean of both in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Returns the value below which a share of all values lies.
 *
 * @param sorted ascending
 * @param share 0..1
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the ratio within each of the rounds that both sides have. */
export function divideRounds(rounds: readonly number[], others: readonly number[]): readonly number[] {
  return rounds.slice(0, others.length).map((value, round) => value / (others[round] ?? Number.NaN));
}

/** Returns the difference within each of the rounds that both sides have. */
export function subtractRounds(rounds: readonly number[], others: readonly number[]): readonly number[] {
  return rounds.slice(0, others.length).map((value, round) => value - (others[round] ?? Number.NaN));
}

/**
 * Returns the least of each `size` rounds in a row, for what other work can only make more.
 *
 * Rounds that are too few for a last group are left out.
 */
export function leastOfGroups(rounds: readonly number[], size: number): readonly number[] {
  return Array.from({ length: Math.floor(rounds.length / size) }, (_, group) =>
    Math.min(...rounds.slice(group * size, (group + 1) * size)),
  );
}

/** Returns the slope of the straight line that lies nearest to points, by least squares. */
export function fitSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const both = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return both / mean(points.map(([x]) => (x - meanX) ** 2));
}

/** What measurements in turn brought, one entry per round. */
export type Results<Name extends string, Result> = Readonly<Record<Name, readonly Result[]>>;

/**
 * Measures several things in turn, A B A B, so that a slow phase of the machine affects all of them.
 *
 * @param isEnough ends the rounds early, by what the first `count` of them brought
 */
export async function measureInTurn<Name extends string, Result>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<Result>>>,
  isEnough: (results: Results<Name, Result>, count: number) => boolean = () => false,
): Promise<Results<Name, Result>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await measurements[name]());
    if (isEnough(results, round + 1)) break;
  }
  return results;
}
