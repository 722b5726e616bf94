import type { Table } from './modbus-address.ts';

/** Most entries of one request (MODBUS Application Protocol V1.1b3, 6.1, 6.3, 6.11, 6.12). */
export const MAXIMUM_BITS_PER_READ = 2000;
export const MAXIMUM_REGISTERS_PER_READ = 125;
export const MAXIMUM_BITS_PER_WRITE = 1968;
export const MAXIMUM_REGISTERS_PER_WRITE = 123;

interface Target {
  readonly unitId: number;
  /** Protocol address of the first entry. */
  readonly offset: number;
}

/** Reads coils (1), discrete inputs (2), holding registers (3) or input registers (4). */
export interface ReadRequest extends Target {
  readonly functionCode: 1 | 2 | 3 | 4;
  readonly quantity: number;
}

/** Writes to the device; which one, the function code says. */
export type WriteRequest = Target &
  (
    | { readonly functionCode: 5; readonly state: boolean }
    | { readonly functionCode: 6; readonly register: number }
    | { readonly functionCode: 15; readonly states: readonly boolean[] }
    /** Two bytes for each register, as they go over the wire. */
    | { readonly functionCode: 16; readonly registers: Buffer }
    | { readonly functionCode: 22; readonly andMask: number; readonly orMask: number }
  );

export type ModbusRequest = ReadRequest | WriteRequest;

/** Function code that reads a table. */
export const READ_FUNCTION: Readonly<Record<Table, ReadRequest['functionCode']>> = {
  COILS: 1,
  DISCRETE_INPUTS: 2,
  HOLDING_REGISTERS: 3,
  INPUT_REGISTERS: 4,
};

/**
 * Gives the smallest read that shows whether the unit of a request is there again.
 *
 * Any answer will do, an exception as well, and nothing changes in the device.
 */
export function toProbe({ unitId, offset, functionCode }: ModbusRequest): ReadRequest {
  if (functionCode <= 4) {
    return { functionCode: functionCode as ReadRequest['functionCode'], unitId, offset, quantity: 1 };
  }
  const readsCoils = functionCode === 5 || functionCode === 15;
  return { functionCode: readsCoils ? 1 : 3, unitId, offset, quantity: 1 };
}

/** Counts the bytes of the PDU that answers the request without fault. */
export function countAnswerBytes(request: ModbusRequest): number {
  const { functionCode } = request;
  if (functionCode === 1 || functionCode === 2) return 2 + Math.ceil(request.quantity / 8);
  if (functionCode === 3 || functionCode === 4) return 2 + 2 * request.quantity;
  return functionCode === 22 ? 7 : 5;
}

/**
 * Checks an answer PDU against the request, field by field.
 *
 * @param pdu function code and what follows; an exception answer to the same function is not a fault
 * @returns what is wrong with it; undefined when it answers the request
 */
export function findAnswerFault(request: ModbusRequest, pdu: Buffer): string | undefined {
  const { functionCode } = request;
  const answered = pdu[0];
  if (answered === (functionCode | 0x80)) {
    return pdu.length === 2 ? undefined : `an exception of ${pdu.length} bytes`;
  }
  if (answered !== functionCode) return `function code ${answered} to function code ${functionCode}`;
  if (functionCode <= 4) return findReadFault(request as ReadRequest, pdu);
  return findEchoFault(request as WriteRequest, pdu);
}

function findReadFault({ functionCode, quantity }: ReadRequest, pdu: Buffer): string | undefined {
  const expectedBytes = functionCode <= 2 ? Math.ceil(quantity / 8) : 2 * quantity;
  if (pdu[1] !== expectedBytes) return `byte count ${pdu[1]} where ${expectedBytes} was expected`;
  const actualBytes = pdu.length - 2;
  return actualBytes === expectedBytes ? undefined : `${actualBytes} bytes after byte count ${expectedBytes}`;
}

function findEchoFault(request: WriteRequest, pdu: Buffer): string | undefined {
  const expected = echoOf(request);
  if (pdu.length !== 1 + 2 * expected.length) return `${pdu.length} bytes`;
  const differs = expected.some((word, index) => pdu.readUInt16BE(1 + 2 * index) !== word);
  return differs ? 'it does not repeat the address and value of the request' : undefined;
}

// The words that a write answer repeats from its request (V1.1b3, 6.5, 6.6, 6.11, 6.12, 6.16).
function echoOf(request: WriteRequest): readonly number[] {
  switch (request.functionCode) {
    case 5:
      return [request.offset, request.state ? 0xff00 : 0];
    case 6:
      return [request.offset, request.register];
    case 15:
      return [request.offset, request.states.length];
    case 16:
      return [request.offset, request.registers.length / 2];
    case 22:
      return [request.offset, request.andMask, request.orMask];
  }
}

/** Whether the answer to a request is the request once more: writing one coil or register, and masking one. */
export function repeatsRequest({ functionCode }: ModbusRequest): boolean {
  // V1.1b3, 6.5, 6.6, 6.16.
  return functionCode === 5 || functionCode === 6 || functionCode === 22;
}
