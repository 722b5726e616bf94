import type { Clock } from '../../daemon/base/clock.ts';
import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../daemon/channel/driver-errors.ts';
import type { Inspection } from '../../daemon/channel/driver.ts';
import { BusyPauses, isBusy } from './write/busy-pauses.ts';
import { listInterpretations } from './value/interpretations.ts';
import { countEntries, isBitTable } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { AddressSuspended, ExceptionAnswer, REFUSALS } from './modbus-errors.ts';
import type { Answer } from './link/exchange.ts';
import type { ModbusLine } from './link/modbus-line.ts';
import { READ_FUNCTION } from './pdu/modbus-functions.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

export interface InspectOptions {
  readonly line: ModbusLine;
  readonly settings: UnitSettingsTable;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

// Enough to know a text by its beginning; then the largest number, then half of it.
const WISHED_REGISTERS = [8, 4, 2];
const ADDRESS_SPACE = 65_536;

/**
 * Reads the registers at the address of a channel and up to seven beyond; fewer where the device has no more.
 *
 * @returns every meaning of it, or why it could not be read
 * @throws {ConnectionError} when the link is lost
 */
export async function inspectChannel(
  channel: Channel<ModbusAddress>,
  options: InspectOptions,
): Promise<Inspection | { readonly failure: ChannelFailure }> {
  const { address } = channel;
  const { maximumRegistersPerRequest } = options.settings.of(address.unitId);
  const pauses = new BusyPauses(options);
  let refusal: unknown;
  for (const quantity of listQuantities(address, maximumRegistersPerRequest)) {
    try {
      const { bytes, timestampMs } = await readEntries(address, quantity, pauses, options);
      return { bytes, timestampMs, interpretations: listInterpretations(channel, bytes, timestampMs) };
    } catch (error) {
      refusal = error;
      if (!concernsNeighbours(error)) break;
    }
  }
  if (refusal instanceof ConnectionError && !options.signal.aborted) throw refusal;
  return {
    failure:
      refusal instanceof ExceptionAnswer ? toChannelFailure(refusal) : toFailure(refusal, options.signal),
  };
}

// Fewer entries may do: the device does not have, or ignores, one of those beyond the channel, or takes no longer requests.
function concernsNeighbours(error: unknown): boolean {
  if (error instanceof AddressSuspended) return true;
  return error instanceof ExceptionAnswer && REFUSALS.has(error.exceptionCode);
}

/** Lists how many entries to ask for, the most first; the last is the count that the channel itself needs. */
function listQuantities(address: ModbusAddress, maximumRegisters: number): readonly number[] {
  const entries = countEntries(address);
  if (isBitTable(address.table)) return [entries];
  // Of an array that is longer than a request the first elements do.
  const own = address.count === undefined ? entries : Math.min(entries, maximumRegisters);
  const most = Math.min(maximumRegisters, ADDRESS_SPACE - address.offset);
  const wished = WISHED_REGISTERS.map((registers) => Math.min(registers, most));
  return [...new Set([...wished.filter((registers) => registers > own), own])];
}

async function readEntries(
  { unitId, table, offset }: ModbusAddress,
  quantity: number,
  pauses: BusyPauses,
  { line, signal }: InspectOptions,
): Promise<Answer> {
  const request = { functionCode: READ_FUNCTION[table], unitId, offset, quantity };
  for (;;) {
    try {
      return await line.exchange(request, { signal });
    } catch (error) {
      if (!isBusy(error) || !(await pauses.wait(unitId))) throw error;
    }
  }
}
