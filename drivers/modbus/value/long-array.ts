import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { PreparedRead, Reading } from '../../../daemon/channel/driver.ts';
import { countElementEntries, countEntries, dataTypeOf, isBitTable } from '../modbus-address.ts';
import type { ModbusAddress, Table } from '../modbus-address.ts';
import { maximumQuantityOf } from '../read/read-plan.ts';
import type { LimitsOf, ReadLimits } from '../read/read-plan.ts';

/** Limits of the requests to units; they can change. */
export interface LimitsOfUnits {
  /** Changes with the limits. */
  readonly revision: number;
  /** Changes with the limits in the settings. */
  readonly settingsRevision: number;
  readonly of: LimitsOf;
}

/** A planned read and the parts of each channel. */
interface PlannedParts {
  readonly revision: number;
  readonly settingsRevision: number;
  readonly prepared: PreparedRead;
  readonly partsOf: readonly (readonly Channel<ModbusAddress>[])[];
}

/**
 * Prepares a read that reads arrays longer than one request in consecutive parts. The parts are read at different
 * times: the array has the timestamp of its oldest part, and fails with its first failed part.
 *
 * @param prepare plans the read of the given channels
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
    // A part stays short even if a longer one may be tried: parts can be joined for that, and read separately if it is
    // refused.
    const before = planned?.settingsRevision === settingsRevision ? planned.partsOf : channels.map(listOne);
    const partsOf = before.map((parts) => parts.flatMap((part) => splitArray(part, limits)));
    // A new plan would lose what the old one detected about its requests.
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

function splitArray(
  channel: Channel<ModbusAddress>,
  limits: LimitsOfUnits,
): readonly Channel<ModbusAddress>[] {
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
    // A part of bits ends at a register boundary.
    if (bit !== undefined) bit = 0;
  }
  return parts;
}

// After a refusal, a part is no longer than the longest answered request.
function countAnswered(limits: ReadLimits, table: Table): number {
  const { detected } = limits;
  const maximum = maximumQuantityOf(limits, table);
  return detected?.refused === undefined ? maximum : Math.min(maximum, detected.answered);
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
  // Array text without its brackets.
  const elements = parts.map(({ value }) => String(value).slice(1, -1));
  const timestampMs = Math.min(...parts.map((part) => part.timestampMs));
  return { value: `[${elements.join(',')}]`, timestampMs };
}
