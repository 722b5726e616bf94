import type { Clock } from '../../daemon/base/clock.ts';
import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../daemon/channel/driver-errors.ts';
import type { Inspection } from '../../daemon/channel/driver.ts';
import { BusyPauses, isBusy } from './write/busy-pauses.ts';
import { listInterpretations } from './value/interpretations.ts';
import { countEntries, isBitTable, locate } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { AddressSuspended, ExceptionResponse, REFUSALS } from './modbus-errors.ts';
import type { UnitResponse } from './link/exchange.ts';
import type { ModbusLine } from './link/modbus-line.ts';
import { READ_FUNCTION } from './pdu/modbus-functions.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

export interface InspectOptions {
  readonly line: ModbusLine;
  readonly settings: UnitSettingsTable;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

// Enough to recognize a text by its beginning; then the size of the largest number, then half of it.
const PREFERRED_REGISTERS = [8, 4, 2];
const ADDRESS_SPACE = 65_536;

/**
 * Reads the registers at the address of a channel and up to seven more; fewer if the device has no more.
 *
 * @returns all interpretations of the bytes, or the failure of the read
 * @throws {ConnectionError} if the link is lost
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
      refusal instanceof ExceptionResponse ? toChannelFailure(refusal) : toFailure(refusal, options.signal),
  };
}

// A shorter read may succeed: the device may lack or ignore a register beyond the channel, or limit the length of
// requests.
function concernsNeighbours(error: unknown): boolean {
  if (error instanceof AddressSuspended) return true;
  return error instanceof ExceptionResponse && REFUSALS.has(error.exceptionCode);
}

/** Lists the quantities to try, largest first; the last is the quantity of the channel itself. */
function listQuantities(address: ModbusAddress, maximumRegisters: number): readonly number[] {
  const entries = countEntries(address);
  if (isBitTable(address.table)) return [entries];
  // For an array longer than one request, its first elements are enough.
  const own = address.count === undefined ? entries : Math.min(entries, maximumRegisters);
  const space = address.table === 'FILE_RECORDS' ? own : ADDRESS_SPACE - address.offset;
  const most = Math.min(maximumRegisters, space);
  const preferred = PREFERRED_REGISTERS.map((registers) => Math.min(registers, most));
  return [...new Set([...preferred.filter((registers) => registers > own), own])];
}

async function readEntries(
  address: ModbusAddress,
  quantity: number,
  pauses: BusyPauses,
  { line, signal }: InspectOptions,
): Promise<UnitResponse> {
  const { unitId, table } = address;
  const request = { functionCode: READ_FUNCTION[table], unitId, offset: locate(address), quantity };
  for (;;) {
    try {
      return await line.exchange(request, { signal });
    } catch (error) {
      if (!isBusy(error) || !(await pauses.wait(unitId))) throw error;
    }
  }
}
