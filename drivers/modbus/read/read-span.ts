import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { DecodeFault } from '../value/codec.ts';
import type { Decode } from '../value/codec.ts';
import { countEntries, isBitTable, locate } from '../modbus-address.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import type { UnitResponse } from '../link/exchange.ts';
import type { PlannedRead, Span } from './read-plan.ts';
import { createDecode } from '../value/register-codec.ts';
import { READ_FUNCTION } from '../pdu/modbus-functions.ts';
import type { ReadRequest } from '../pdu/request.ts';

/** One planned request. */
export interface Step extends PlannedRead<ReadSpan> {
  /** True if the device has none of these addresses: they fail together and are not split. */
  readonly isRefused?: boolean;
  /** Milliseconds from request to response in the newest exchange. */
  measuredMs?: number;
}

/** A channel in the plan. */
export interface ReadSpan extends Span {
  /** Index of the channel in the read. */
  readonly index: number;
  /** Name of the channel. */
  readonly name: string;
  readonly decode: Decode;
  /** Size of one entry in a response: 2 bytes, or 1 bit. */
  readonly stride: 1 | 2;
}

/** Returns the location and the decoder of a channel. */
export function toReadSpan({ name, address, valueType }: Channel<ModbusAddress>, index: number): ReadSpan {
  const { unitId, table } = address;
  const position = { unitId, table, offset: locate(address), quantity: countEntries(address), index, name };
  return { ...position, decode: createDecode(address, valueType), stride: isBitTable(table) ? 1 : 2 };
}

/** Decodes a response into the readings of its channels. */
export function decodeSpans(
  readings: Reading[],
  planned: PlannedRead<ReadSpan>,
  { bytes, timestampMs }: UnitResponse,
): void {
  for (const { index, decode, offset, stride } of planned.spans) {
    const value = decode(bytes, (offset - planned.offset) * stride);
    readings[index] =
      value instanceof DecodeFault
        ? { failure: { code: value.code, message: value.message }, timestampMs }
        : { value, timestampMs };
  }
}

/** Creates the request for a span. */
export function toRequest({ unitId, table, offset, quantity }: Span): ReadRequest {
  return { functionCode: READ_FUNCTION[table], unitId, offset, quantity };
}

/** Returns a key for the unit and table of a span. */
export function tableKeyOf({ unitId, table }: Pick<Span, 'unitId' | 'table'>): string {
  return `${unitId} ${table}`;
}
