import { METRIC_TYPES } from '../payload/data-type.ts';
import type { DataType } from '../payload/data-type.ts';

/** A channel that is recorded, as the gateway lists it. */
export interface DefinedChannel {
  readonly asset: string;
  readonly channel: string;
  readonly valueType: string;
  readonly unit?: string | undefined;
  /** Limits of writes, in engineering units. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** True if the identity of the bundle may write it. */
  readonly isWritable: boolean;
}

/** Metric of a device, which is a channel of an asset. */
export interface DefinedMetric extends DefinedChannel {
  /** Unique within the edge node. */
  readonly alias: number;
  readonly type: DataType;
}

/** Device, which is an asset. */
export interface DefinedDevice {
  readonly id: string;
  /** By the name of the channel. */
  readonly metrics: ReadonlyMap<string, DefinedMetric>;
}

/** Devices by the name of the asset. */
export type NodeDefinition = ReadonlyMap<string, DefinedDevice>;

/** Gives channels their aliases: a channel keeps its own as long as the process lives, and no other gets it. */
export class AliasBook {
  readonly #aliases = new Map<string, number>();

  aliasOf(key: string): number {
    const known = this.#aliases.get(key);
    if (known !== undefined) return known;
    const alias = this.#aliases.size + 1;
    this.#aliases.set(key, alias);
    return alias;
  }
}

/**
 * Makes devices of channels; a channel that several recorders take is one metric.
 *
 * @param arrays types of STRING channels whose values are arrays, by `ASSET/CHANNEL`
 */
export function defineNode(
  channels: readonly DefinedChannel[],
  aliases: AliasBook,
  arrays: ReadonlyMap<string, DataType> = new Map(),
): NodeDefinition {
  const devices = new Map<string, { id: string; metrics: Map<string, DefinedMetric> }>();
  for (const channel of channels) {
    const place = `${channel.asset}/${channel.channel}`;
    const array = channel.valueType === 'STRING' ? arrays.get(place) : undefined;
    const type = array ?? METRIC_TYPES.get(channel.valueType);
    if (type === undefined) continue;
    const device = devices.get(channel.asset) ?? { id: channel.asset, metrics: new Map() };
    devices.set(channel.asset, device);
    const key = `${place}/${type}`;
    device.metrics.set(channel.channel, { ...channel, alias: aliases.aliasOf(key), type });
  }
  return devices;
}

/** Finds the metric of a recorded series; undefined if there is none any more, or it has another type now. */
export function findMetric(
  definition: NodeDefinition,
  series: { readonly asset: string; readonly channel: string; readonly valueType: string },
): DefinedMetric | undefined {
  const metric = definition.get(series.asset)?.metrics.get(series.channel);
  return metric?.valueType === series.valueType ? metric : undefined;
}
