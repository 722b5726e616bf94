import type { RestValue } from '../world/truth.ts';
import type { RecordedSample } from './recorded-samples.ts';
import { toRestValue } from './recorded-value.ts';

/** What a bucket shows of its samples. */
export type Aggregate = (typeof AGGREGATES)[number];

/** All of them. */
export const AGGREGATES = ['mean', 'min', 'max', 'first', 'last', 'count'] as const;

/** A bucket as the history shows it. */
export interface ShownBucket {
  readonly channel: string;
  readonly from: number;
  readonly value?: RestValue;
  readonly count: number;
  readonly good: number;
}

/** Computes a bucket in the plainest way. */
export function expectBucket(
  samples: readonly RecordedSample[],
  aggregate: Aggregate,
): Pick<ShownBucket, 'count' | 'good'> & { readonly value: RestValue | undefined } {
  const good = samples.filter(({ sample }) => sample.quality === 'GOOD').length;
  return { count: samples.length, good, value: valueOf(samples, aggregate) };
}

function valueOf(samples: readonly RecordedSample[], aggregate: Aggregate): RestValue | undefined {
  if (aggregate === 'count') return samples.length;
  if (aggregate === 'first' || aggregate === 'last') {
    const valued = samples
      .filter(({ sample }) => sample.value !== undefined)
      .toSorted((a, b) => a.sample.timestampMs - b.sample.timestampMs || a.sequence - b.sequence);
    const edge = valued.at(aggregate === 'first' ? 0 : -1);
    return edge && toRestValue(edge.sample);
  }
  const numbers = samples.map(({ sample: { value } }) => value).flatMap(toNumber);
  if (numbers.length === 0) return undefined;
  if (aggregate === 'min') return Math.min(...numbers);
  if (aggregate === 'max') return Math.max(...numbers);
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function toNumber(value: RecordedSample['sample']['value']): readonly number[] {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean') return [];
  const number = Number(value);
  return Number.isFinite(number) ? [number] : [];
}

/** Whether a value is the expected one, but for digits that depend on the order of a sum, or that a 32-bit float lacks. */
export function isSameValue(shown: RestValue | undefined, expected: RestValue | undefined): boolean {
  if (shown === undefined || typeof expected !== 'number') return shown === expected;
  // A number that is too large to be exact comes as its digits.
  return Math.abs(Number(shown) - expected) <= 1e-7 * Math.abs(expected);
}
