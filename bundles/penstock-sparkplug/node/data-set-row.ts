import { QUALITY } from '../payload/data-type.ts';
import type { MetricValue, Quality } from '../payload/data-type.ts';
import type { DefinedMetric } from './node-definition.ts';
import type { CurrentValue, FindCurrent, NodeSample } from './node-session.ts';

/**
 * Makes the row of a data set from the values of its columns.
 *
 * Its quality is that of all columns if they have the same, and otherwise that of a value in doubt. Its time is that of the newest one.
 *
 * @returns undefined: no column has a value yet
 */
export function makeRow(columns: readonly DefinedMetric[], find: FindCurrent): CurrentValue | undefined {
  const found = columns.map((column) => find(column));
  const known = found.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  const qualities = new Set<Quality>(found.map((each) => each?.quality ?? QUALITY.STALE));
  const [first = QUALITY.STALE] = qualities;
  const elements = found.map((each) => toElement(each));
  return {
    value: elements.every((element) => element === undefined)
      ? undefined
      : { columns: columns.map(({ channel: name, type }) => ({ name, type })), elements },
    quality: qualities.size === 1 ? first : QUALITY.STALE,
    timestampMs: known.reduce((newest, { timestampMs }) => Math.max(newest, timestampMs), -Infinity),
  };
}

function toElement(current: CurrentValue | undefined): MetricValue | undefined {
  const value = current?.value;
  return typeof value === 'object' && 'columns' in value ? undefined : value;
}

/** Values of the columns of data sets, while samples are sent one after the other. */
export class RowValues {
  readonly #taken = new Map<number, CurrentValue>();
  readonly #before: FindCurrent;
  readonly #isHistorical: boolean;

  /**
   * @param before values of the time before the samples
   * @param isHistorical true: a value that is newer than a row is not in it
   */
  constructor(before: FindCurrent, isHistorical: boolean) {
    this.#before = before;
    this.#isHistorical = isHistorical;
  }

  take({ metric, value, quality, timestampMs }: NodeSample): void {
    this.#taken.set(metric.alias, { value, quality, timestampMs });
  }

  /** @param atMs time of the row, milliseconds since the epoch */
  find(metric: DefinedMetric, atMs: number): CurrentValue | undefined {
    const taken = this.#taken.get(metric.alias);
    if (taken !== undefined) return taken;
    const before = this.#before(metric);
    return this.#isHistorical && before !== undefined && before.timestampMs > atMs ? undefined : before;
  }
}
