import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import { countEntryBytes, FUNCTIONS, isRead } from './modbus-functions.ts';
import type { WriteFunction } from './modbus-functions.ts';
import { findIdentificationFault, MAXIMUM_PDU_BYTES } from './identification-pdu.ts';
import { countReadHead, findFileHeadFault, READ_WRITE_FUNCTION } from './register-pdu.ts';
import type { LineRequest, ReadRequest, WriteRequest } from './request.ts';

const EXCEPTION_BIT = 0x80;
// Function code and exception code (V1.1b3, 7).
const EXCEPTION_PDU_BYTES = 2;
// A read request has a function code, an address and a quantity (V1.1b3, 6.1).
const REQUEST_PDU_BYTES = 5;

/** Returns the function code with which a request is sent. */
export function sentFunctionOf(request: LineRequest): number {
  return request.functionCode === 3 && request.readWrite !== undefined
    ? READ_WRITE_FUNCTION
    : request.functionCode;
}

/** Counts the bytes of the response PDU without an exception; for an identification, the maximum. */
export function countResponseBytes(request: LineRequest): number {
  if (request.functionCode === 43) return MAXIMUM_PDU_BYTES;
  return isRead(request) ? countReadHead(request) + countReadBytes(request) : 1 + 2 * echoOf(request).length;
}

/**
 * Checks a response PDU against the request, field by field.
 *
 * @param pdu function code and the rest; an exception response to the same function is valid
 * @returns the error; undefined if the PDU answers the request
 */
export function findResponseFault(request: LineRequest, pdu: Buffer): FaultReason | undefined {
  const functionCode = sentFunctionOf(request);
  const answered = pdu[0];
  if (answered === (functionCode | EXCEPTION_BIT)) {
    if (pdu.length === EXCEPTION_PDU_BYTES) return undefined;
    return createReason(MODBUS_FAILURES, 'EXCEPTION_LENGTH', { count: pdu.length });
  }
  if (answered !== functionCode) {
    const values = { received: String(answered), sent: functionCode, name: nameFunction(request) };
    return createReason(MODBUS_FAILURES, 'OTHER_FUNCTION', values);
  }
  if (request.functionCode === 43) return findIdentificationFault(pdu);
  return isRead(request) ? findReadFault(request, pdu) : findEchoFault(request, pdu);
}

/**
 * Returns the word that a unit confirms instead of the one written: a device that limits a value may return the value
 * it accepted. For a coil it is 0xff00 or 0.
 *
 * @returns undefined if the PDU is not a response to the write of one coil or register, or confirms the written word
 */
export function findOtherWord(request: LineRequest, pdu: Buffer): number | undefined {
  if (request.functionCode !== 5 && request.functionCode !== 6) return undefined;
  const [offset, written] = echoOf(request);
  if (pdu.length !== 5 || pdu[0] !== request.functionCode || pdu.readUInt16BE(1) !== offset) return undefined;
  const word = pdu.readUInt16BE(3);
  const isState = word === 0 || word === 0xff00;
  return word === written || (request.functionCode === 5 && !isState) ? undefined : word;
}

/** True if the response to a read is valid except that it contains fewer values than requested. */
export function isShortResponse(request: LineRequest, pdu: Buffer): boolean {
  if (request.functionCode === 43 || !isRead(request) || pdu[0] !== sentFunctionOf(request)) return false;
  if (pdu.length < 2) return false;
  return pdu.length < countResponseBytes(request);
}

/**
 * True if a PDU has the form of a response to a function that the driver uses. Other PDUs are requests of another
 * master or unrequested.
 */
export function hasResponseForm(pdu: Buffer): boolean {
  const functionCode = (pdu[0] ?? 0) & ~EXCEPTION_BIT;
  if (functionCode === 43) return true;
  if (functionCode === 20 || functionCode === READ_WRITE_FUNCTION) return hasReadForm(pdu);
  if (!(functionCode in FUNCTIONS)) return false;
  const isRequest = functionCode <= 4 && pdu.length === REQUEST_PDU_BYTES && pdu[1] !== REQUEST_PDU_BYTES - 2;
  const isLongWrite = (functionCode === 15 || functionCode === 16) && pdu.length > REQUEST_PDU_BYTES;
  return !isRequest && !isLongWrite;
}

/** True if the response equals the request: writes of one coil or register, and mask writes. */
export function repeatsRequest({ functionCode }: LineRequest): boolean {
  if (functionCode === 43) return false;
  const row = FUNCTIONS[functionCode];
  return row.access === 'WRITE' && row.echoesAll;
}

function nameFunction(request: LineRequest): string {
  if (request.functionCode === 43) return 'Read Device Identification';
  const isReadWrite = sentFunctionOf(request) === READ_WRITE_FUNCTION;
  return isReadWrite ? 'Read/Write Multiple Registers' : FUNCTIONS[request.functionCode].name;
}

// A request has sub-requests of reference type 6, or addresses (V1.1b3, 6.14 and 6.17); the length of a file is odd.
function hasReadForm(pdu: Buffer): boolean {
  if (((pdu[0] ?? 0) & EXCEPTION_BIT) !== 0) return pdu.length === EXCEPTION_PDU_BYTES;
  const isSubRequest = pdu[0] === 20 && pdu[2] === 6;
  return pdu.length === 2 + (pdu[1] ?? 0) && !isSubRequest;
}

function findReadFault(request: ReadRequest, pdu: Buffer): FaultReason | undefined {
  const expected = countReadBytes(request);
  if (request.functionCode === 20) {
    const fault = findFileHeadFault(pdu, expected);
    if (fault !== undefined) return fault;
    const recordBytes = pdu.length - countReadHead(request);
    if (recordBytes === expected) return undefined;
    return createReason(MODBUS_FAILURES, 'RECORD_LENGTH', { count: recordBytes, expected });
  }
  if (pdu[1] !== expected) {
    return createReason(MODBUS_FAILURES, 'BYTE_COUNT', { count: String(pdu[1]), expected });
  }
  const count = pdu.length - 2;
  if (count === expected) return undefined;
  return createReason(MODBUS_FAILURES, 'BYTES_AFTER_COUNT', { count, expected });
}

function findEchoFault(request: WriteRequest, pdu: Buffer): FaultReason | undefined {
  const expected = echoOf(request);
  if (pdu.length !== 1 + 2 * expected.length) {
    return createReason(MODBUS_FAILURES, 'RESPONSE_LENGTH', { count: pdu.length });
  }
  const differs = expected.some((word, index) => pdu.readUInt16BE(1 + 2 * index) !== word);
  return differs ? createReason(MODBUS_FAILURES, 'REQUEST_NOT_REPEATED', {}) : undefined;
}

function countReadBytes({ functionCode, quantity }: ReadRequest): number {
  return countEntryBytes(FUNCTIONS[functionCode].table, quantity);
}

function echoOf(request: WriteRequest): readonly number[] {
  const row: WriteFunction = FUNCTIONS[request.functionCode];
  return row.echo(request);
}
