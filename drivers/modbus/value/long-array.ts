import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { PreparedRead, Reading } from '../../../daemon/channel/driver.ts';
import { countElementEntries, countEntries, dataTypeOf, isBitTable } from '../modbus-address.ts';
import type { ModbusAddress, Table } from '../modbus-address.ts';
import { maximumQuantityOf } from '../read/read-plan.ts';
import type { LimitsOf, ReadLimits } from '../read/read-plan.ts';

/** How much one request to a unit may bring; it can change. */
export interface LimitsOfUnits {
  /** Changes with them. */
  readonly revision: number;
  /** Changes with what the settings say of them. */
  readonly settingsRevision: number;
  readonly of: LimitsOf;
}

/** A planned read, and the parts of each channel in it. */
interface PlannedParts {
  readonly revision: number;
  readonly settingsRevision: number;
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
  let planned: PlannedParts | undefined;
  const current = (): PlannedParts => {
    const { revision, settingsRevision } = limits;
    if (planned?.revision === revision) return planned;
    // A part stays short when a longer one may be tried: parts can be joined for that, and asked alone when it is refused.
    const before = planned?.settingsRevision === settingsRevision ? planned.partsOf : channels.map(listOne);
    const partsOf = before.map((parts) => parts.flatMap((part) => cutArray(part, limits)));
    // A plan knows what the device did with its requests, which is lost with it.
    const isSame = planned !== undefined && isDeepStrictEqual(partsOf, planned.partsOf);
    const prepared = planned !== undefined && isSame ? planned.prepared : prepare(partsOf.flat());
    planned = { revision, settingsRevision, partsOf, prepared };
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

function cutArray(channel: Channel<ModbusAddress>, limits: LimitsOfUnits): readonly Channel<ModbusAddress>[] {
  const { address } = channel;
  const maximum = countAnswered(limits.of(address.unitId, address.table), address.table);
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

// A part keeps to the length that the device showed to answer, where it refused a longer one.
function countAnswered(limits: ReadLimits, table: Table): number {
  const { learned } = limits;
  const maximum = maximumQuantityOf(limits, table);
  return learned?.refused === undefined ? maximum : Math.min(maximum, learned.answered);
}

function countFitting(address: ModbusAddress, maximum: number): number {
  const isRegisterBits = !isBitTable(address.table) && dataTypeOf(address) === 'BOOLEAN';
  if (isRegisterBits) return 16 * maximum - (address.bit ?? 0);
  return Math.max(1, Math.floor(maximum / countElementEntries(address)));
}

function listOne(channel: Channel<ModbusAddress>): readonly Channel<ModbusAddress>[] {
  return [channel];
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
