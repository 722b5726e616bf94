import { QUALITY } from '../payload/data-type.ts';
import type { DefinedDevice, DefinedMetric } from './node-definition.ts';
import type { CurrentValue, NodeSample } from './node-session.ts';

/** Current values of metrics, for births: those that were sent last, or read at the beginning of a connection. */
export class CurrentValues {
  readonly #values = new Map<number, CurrentValue>();

  find({ alias }: DefinedMetric): CurrentValue | undefined {
    return this.#values.get(alias);
  }

  put({ metric, value, quality, timestampMs }: NodeSample): void {
    this.#values.set(metric.alias, { value, quality, timestampMs });
  }

  /** Returns true if none of the metrics of a device has a value: the device cannot be reached. */
  isDown({ metrics }: DefinedDevice): boolean {
    return [...metrics.values()].every(({ alias }) => this.#values.get(alias)?.quality === QUALITY.BAD);
  }
}
