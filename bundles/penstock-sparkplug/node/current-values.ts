import { QUALITY } from '../payload/data-type.ts';
import { makeRow } from './data-set-row.ts';
import type { DefinedDevice, DefinedMetric } from './node-definition.ts';
import type { CurrentValue, NodeSample } from './node-session.ts';

/** Current values of metrics, for births: those that were sent last, or read at the beginning of a connection. */
export class CurrentValues {
  readonly #values = new Map<number, CurrentValue>();

  find({ alias, columns }: DefinedMetric): CurrentValue | undefined {
    if (columns !== undefined) return makeRow(columns, (column) => this.find(column));
    return this.#values.get(alias);
  }

  put({ metric, value, quality, timestampMs }: NodeSample): void {
    // A data set is made of its columns.
    if (metric.columns === undefined) this.#values.set(metric.alias, { value, quality, timestampMs });
  }

  /** Returns a copy that stays as it is. */
  clone(): CurrentValues {
    const copy = new CurrentValues();
    for (const [alias, value] of this.#values) copy.#values.set(alias, value);
    return copy;
  }

  /** Returns true if none of the metrics of a device has a value: the device cannot be reached. */
  isDown({ metrics }: DefinedDevice): boolean {
    return [...metrics.values()].every((metric) => this.find(metric)?.quality === QUALITY.BAD);
  }
}
