import type { Channel } from '../../daemon/channel/channel.ts';
import type { PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import { countElementEntries, countEntries, dataTypeOf, isBitTable } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import type { ReadLimits } from './read-plan.ts';

type Limits = Pick<ReadLimits, 'maximumBitsPerRequest' | 'maximumRegistersPerRequest'>;

/** How much one request to a unit may bring; it can change. */
export interface LimitsOfUnits {
  /** Counts the changes. */
  readonly revision: number;
  readonly of: (unitId: number) => Limits;
}

/** A planned read, and the parts of each channel in it. */
interface PlannedParts {
  readonly revision: number;
  readonly prepared: PreparedRead;
  readonly partsOf: readonly (readonly Channel<ModbusAddress>[])[];
}

/**
 * Prepares a read in which each array that is longer than a request is read in parts, one request after the other. The parts are
 * not of one instant; the array has the time of its oldest part, and fails with its first part that fails.
 *
 * @param prepare plans the read of the channels that it is given
 */
export function prepareInParts(
  channels: readonly Channel<ModbusAddress>[],
  limits: LimitsOfUnits,
  prepare: (channels: readonly Channel<ModbusAddress>[]) => PreparedRead,
): PreparedRead {
  if (channels.every(({ address }) => address.count === undefined)) return prepare(channels);
  let planned = planParts(channels, limits, prepare);
  const current = (): PlannedParts => {
    if (planned.revision !== limits.revision) planned = planParts(channels, limits, prepare);
    return planned;
  };
  return {
    describe: () => current().prepared.describe?.() ?? [],
    async read(signal) {
      const { prepared, partsOf } = current();
      const readings = await prepared.read(signal);
      let first = 0;
      return partsOf.map(({ length }) => {
        const own = readings.slice(first, first + length);
        first += length;
        return joinReadings(own);
      });
    },
  };
}

function planParts(
  channels: readonly Channel<ModbusAddress>[],
  limits: LimitsOfUnits,
  prepare: (channels: readonly Channel<ModbusAddress>[]) => PreparedRead,
): PlannedParts {
  const { revision } = limits;
  const partsOf = channels.map((channel) => cutArray(channel, limits.of(channel.address.unitId)));
  return { revision, partsOf, prepared: prepare(partsOf.flat()) };
}

function cutArray(channel: Channel<ModbusAddress>, limits: Limits): readonly Channel<ModbusAddress>[] {
  const { address } = channel;
  const isBits = isBitTable(address.table);
  const maximum = isBits ? limits.maximumBitsPerRequest : limits.maximumRegistersPerRequest;
  if (address.count === undefined || countEntries(address) <= maximum) return [channel];
  const parts: Channel<ModbusAddress>[] = [];
  let { offset, bit, count: left } = address;
  while (left > 0) {
    const count = Math.min(left, countFitting({ ...address, bit }, maximum));
    const part = { ...address, offset, count, ...(bit === undefined ? {} : { bit }) };
    parts.push({ ...channel, address: part });
    offset += countEntries(part);
    left -= count;
    // A part of bits ends with its last register.
    if (bit !== undefined) bit = 0;
  }
  return parts;
}

function countFitting(address: ModbusAddress, maximum: number): number {
  const isRegisterBits = !isBitTable(address.table) && dataTypeOf(address) === 'BOOLEAN';
  if (isRegisterBits) return 16 * maximum - (address.bit ?? 0);
  return Math.max(1, Math.floor(maximum / countElementEntries(address)));
}

function joinReadings(parts: readonly Reading[]): Reading {
  const [first] = parts;
  if (first === undefined) throw new RangeError('an array has a part');
  const failed = parts.find(({ failure }) => failure !== undefined);
  if (failed !== undefined || parts.length === 1) return failed ?? first;
  // The text of an array without its brackets.
  const elements = parts.map(({ value }) => String(value).slice(1, -1));
  const timestampMs = Math.min(...parts.map((part) => part.timestampMs));
  return { value: `[${elements.join(',')}]`, timestampMs };
}
