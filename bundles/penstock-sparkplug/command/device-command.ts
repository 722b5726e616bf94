import { listBorn } from '../node/node-definition.ts';
import type { DefinedDevice, DefinedMetric } from '../node/node-definition.ts';
import { isArrayType, unpackArray } from '../payload/array-value.ts';
import { DATA_TYPE } from '../payload/data-type.ts';
import type { DataType, MetricValue } from '../payload/data-type.ts';
import type { IncomingMetric, IncomingPayload, IncomingValue } from '../payload/payload-reader.ts';

/** A write of a command to a device. */
export interface CommandWrite {
  /** Name of the channel. */
  readonly name: string;
  /** Value type of the channel. */
  readonly type: string;
  readonly value: MetricValue;
}

/** Command to a device: its writes, or why none of them is carried out. */
export type DeviceCommand = { readonly writes: readonly CommandWrite[] } | { readonly refusal: string };

export interface CommandTerms {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Difference between the time of a command and now, at most, in either direction. */
  readonly maximumAgeMs: number;
}

class Refused extends Error {}

const SIGNED_BITS: ReadonlyMap<number | undefined, number> = new Map([
  [DATA_TYPE.Int8, 8],
  [DATA_TYPE.Int16, 16],
]);
const UNSIGNED: ReadonlySet<number | undefined> = new Set([
  DATA_TYPE.UInt8,
  DATA_TYPE.UInt16,
  DATA_TYPE.UInt32,
  DATA_TYPE.UInt64,
  DATA_TYPE.DateTime,
]);

/**
 * Reads a command to a device. It is carried out as a whole or not at all: a metric that is unknown, null, historical, of another
 * type, or too old refuses all of it.
 */
export function readDeviceCommand(
  { metrics, timestampMs }: IncomingPayload,
  device: DefinedDevice | undefined,
  terms: CommandTerms,
): DeviceCommand {
  try {
    if (device === undefined) throw new Refused('the device is unknown');
    if (metrics.length === 0) throw new Refused('it has no metric');
    const byAlias = new Map(listBorn(device).map((metric) => [metric.alias, metric]));
    const writes = metrics.map((metric) => {
      const defined = findDefined(metric, device, byAlias);
      refuseStale(metric, timestampMs, defined, terms);
      return { name: defined.channel, type: defined.valueType, value: readValue(metric, defined) };
    });
    return { writes };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refusal: error.message };
  }
}

function findDefined(
  { name, alias }: IncomingMetric,
  device: DefinedDevice,
  byAlias: ReadonlyMap<number, DefinedMetric>,
): DefinedMetric {
  const known = name === undefined ? undefined : device.metrics.get(name);
  const named = known?.isBorn === true ? known : undefined;
  const numbered = alias === undefined ? undefined : byAlias.get(alias);
  if (named !== undefined && numbered !== undefined && named !== numbered) {
    throw new Refused(`the alias ${alias} is not that of "${name}"`);
  }
  const found = named ?? (name === undefined ? numbered : undefined);
  if (found !== undefined) return found;
  throw new Refused(
    name === undefined ? `the alias ${alias} is unknown` : `the metric ${quote(name)} is unknown`,
  );
}

function refuseStale(
  { timestampMs, isHistorical, isNull }: IncomingMetric,
  sentMs: number | undefined,
  { channel }: DefinedMetric,
  { nowMs, maximumAgeMs }: CommandTerms,
): void {
  if (isHistorical) throw new Refused(`${quote(channel)} is historical`);
  if (isNull) throw new Refused(`${quote(channel)} is null`);
  if (sentMs === undefined && timestampMs === undefined) throw new Refused('it has no timestamp');
  for (const timeMs of [sentMs, timestampMs]) {
    if (timeMs === undefined || Math.abs(nowMs - timeMs) <= maximumAgeMs) continue;
    const seconds = Math.round(Math.abs(nowMs - timeMs) / 1000);
    throw new Refused(`its timestamp is ${seconds} s ${timeMs < nowMs ? 'old' : 'in the future'}`);
  }
}

function readValue({ value, type }: IncomingMetric, defined: DefinedMetric): MetricValue {
  const { valueType, channel } = defined;
  const read = isArrayType(defined.type)
    ? unpack(value, defined.type)
    : value && convert(value, type, valueType);
  if (read === undefined) throw new Refused(`the value of ${quote(channel)} is no ${valueType}`);
  return read;
}

function unpack(value: IncomingValue | undefined, type: DataType): string | undefined {
  return value?.kind === 'BYTES' ? unpackArray(type, value.value) : undefined;
}

function convert(
  incoming: IncomingValue,
  type: number | undefined,
  valueType: string,
): MetricValue | undefined {
  switch (valueType) {
    case 'BOOLEAN':
      return incoming.kind === 'BOOLEAN' ? incoming.value : undefined;
    case 'STRING':
      return incoming.kind === 'TEXT' ? incoming.value : undefined;
    case 'BYTE_ARRAY':
      return incoming.kind === 'BYTES' ? incoming.value : undefined;
    case 'LONG':
      return toInteger(incoming, type);
    case 'INTEGER': {
      const integer = toInteger(incoming, type);
      return integer === undefined ? undefined : Number(integer);
    }
    default:
      if (incoming.kind === 'FLOAT' || incoming.kind === 'DOUBLE') return incoming.value;
      return toNumber(toInteger(incoming, type));
  }
}

/** Returns the integer of a value on the wire, which is unsigned there. */
function toInteger(incoming: IncomingValue, type: number | undefined): bigint | undefined {
  if (incoming.kind === 'INT') {
    const value = BigInt(incoming.value);
    return UNSIGNED.has(type) ? value : BigInt.asIntN(SIGNED_BITS.get(type) ?? 32, value);
  }
  if (incoming.kind !== 'LONG') return undefined;
  return UNSIGNED.has(type) ? incoming.value : BigInt.asIntN(64, incoming.value);
}

/** Returns undefined for an integer that a double does not hold exactly. */
function toNumber(integer: bigint | undefined): number | undefined {
  if (integer === undefined) return undefined;
  const number = Number(integer);
  return BigInt(number) === integer ? number : undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
