import { DATA_TYPE, isColumnType, METRIC_TYPES } from '../payload/data-type.ts';
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

/** Metric of a device, which is a channel of an asset, or the data set of all of them. */
export interface DefinedMetric extends DefinedChannel {
  /** Unique within the edge node. */
  readonly alias: number;
  readonly type: DataType;
  /** False: it is a column of the data set alone. */
  readonly isBorn: boolean;
  /** Of the data set; undefined in a channel. */
  readonly columns?: readonly DefinedMetric[] | undefined;
}

/** Device, which is an asset. */
export interface DefinedDevice {
  readonly id: string;
  /** By the name of the channel; that of the data set is none of a channel. */
  readonly metrics: ReadonlyMap<string, DefinedMetric>;
}

/** Devices by the name of the asset. */
export type NodeDefinition = ReadonlyMap<string, DefinedDevice>;

/** Data set of an asset: in addition to the metrics of its channels, or instead of those that are its columns. */
export type DataSetUse = 'ADDED' | 'ONLY';

/** Forms of channels that settings choose. */
export interface MetricForms {
  /** Types of STRING channels whose values are arrays, by `ASSET/CHANNEL`. */
  readonly arrays: ReadonlyMap<string, DataType>;
  /** By asset; `*`: those that are not named. */
  readonly dataSets: ReadonlyMap<string, DataSetUse>;
}

/** Name of the metric with the data set of an asset; names of channels have no spaces. */
const DATA_SET_METRIC = 'Data Set';

const NO_FORMS: MetricForms = { arrays: new Map(), dataSets: new Map() };

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

/** Makes devices of channels; a channel that several recorders take is one metric. */
export function defineNode(
  channels: readonly DefinedChannel[],
  aliases: AliasBook,
  { arrays, dataSets }: MetricForms = NO_FORMS,
): NodeDefinition {
  const devices = new Map<string, { id: string; metrics: Map<string, DefinedMetric> }>();
  for (const channel of channels) {
    const place = `${channel.asset}/${channel.channel}`;
    const array = channel.valueType === 'STRING' ? arrays.get(place) : undefined;
    const type = array ?? METRIC_TYPES.get(channel.valueType);
    if (type === undefined) continue;
    const device = devices.get(channel.asset) ?? { id: channel.asset, metrics: new Map() };
    devices.set(channel.asset, device);
    const alias = aliases.aliasOf(`${place}/${type}`);
    const isBorn = findUse(dataSets, channel.asset) !== 'ONLY' || !isColumnType(type);
    device.metrics.set(channel.channel, { ...channel, alias, type, isBorn });
  }
  for (const { id, metrics } of devices.values()) {
    const dataSet = findUse(dataSets, id) && defineDataSet(id, [...metrics.values()], aliases);
    if (dataSet !== undefined) metrics.set(DATA_SET_METRIC, dataSet);
  }
  return devices;
}

function findUse(dataSets: MetricForms['dataSets'], asset: string): DataSetUse | undefined {
  return dataSets.get(asset) ?? dataSets.get('*');
}

/** Returns the data set of those channels whose values can be in it; other columns have another alias. */
function defineDataSet(
  asset: string,
  metrics: readonly DefinedMetric[],
  aliases: AliasBook,
): DefinedMetric | undefined {
  const columns = metrics.filter(({ type }) => isColumnType(type));
  if (columns.length === 0) return undefined;
  const key = [asset, '', ...columns.map(({ alias }) => alias)].join('/');
  return {
    asset,
    channel: DATA_SET_METRIC,
    valueType: 'DATA_SET',
    isWritable: false,
    alias: aliases.aliasOf(key),
    type: DATA_TYPE.DataSet,
    isBorn: true,
    columns,
  };
}

/** Lists the metrics that births of a device have. */
export function listBorn({ metrics }: DefinedDevice): readonly DefinedMetric[] {
  return [...metrics.values()].filter(({ isBorn }) => isBorn);
}

/** Returns the metric with the data set of a device; undefined: it has none. */
export function findDataSet({ metrics }: DefinedDevice): DefinedMetric | undefined {
  return metrics.get(DATA_SET_METRIC);
}

/** Finds the metric of a recorded series; undefined if there is none any more, or it has another type now. */
export function findMetric(
  definition: NodeDefinition,
  series: { readonly asset: string; readonly channel: string; readonly valueType: string },
): DefinedMetric | undefined {
  const metric = definition.get(series.asset)?.metrics.get(series.channel);
  return metric?.valueType === series.valueType ? metric : undefined;
}
