import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import type { LineRequest, ReadRequest } from './request.ts';

/** Function code that reads holding registers and writes others in one request (V1.1b3, 6.17). */
export const READ_WRITE_FUNCTION = 23;
const READ_FILE_FUNCTION = 20;

// One sub-request: its length, reference type, file, first record and number of records (V1.1b3, 6.14).
const SUB_REQUEST_BYTES = 7;
const REFERENCE_TYPE = 6;
const FILE_HEAD_BYTES = 4;
const READ_HEAD_BYTES = 2;
const RECORDS_OF_FILE = 65_536;

/** Returns the position of a record among those of all files, so that ranges of one file compare as numbers. */
export function toRecordOffset(file: number, record: number): number {
  return file * RECORDS_OF_FILE + record;
}

/** Returns file and record at a position of `toRecordOffset`. */
export function toFileRecord(offset: number): { readonly file: number; readonly record: number } {
  return { file: Math.floor(offset / RECORDS_OF_FILE), record: offset % RECORDS_OF_FILE };
}

/** Encodes the PDU of a read with function code 20 or 23; undefined for any other request. */
export function encodeRegisterRead(request: LineRequest): Buffer | undefined {
  if (request.functionCode === READ_FILE_FUNCTION) return encodeFileRead(request);
  const { readWrite } = request.functionCode === 3 ? request : {};
  if (request.functionCode !== 3 || readWrite === undefined) return undefined;
  const { scratchOffset } = readWrite;
  const words = [
    request.offset,
    request.quantity,
    scratchOffset ?? request.offset,
    scratchOffset === undefined ? 0 : 1,
  ];
  const values = scratchOffset === undefined ? [0] : [2, 0, 0];
  return Buffer.from([READ_WRITE_FUNCTION, ...words.flatMap((word) => [word >> 8, word & 0xff]), ...values]);
}

/** Returns the bytes before the registers in the response to a read with function code 3, 4, 20 or 23. */
export function countReadHead({ functionCode }: Pick<ReadRequest, 'functionCode'>): number {
  return functionCode === READ_FILE_FUNCTION ? FILE_HEAD_BYTES : READ_HEAD_BYTES;
}

/**
 * Returns the error in the header of a file response.
 *
 * @param expectedBytes bytes of the requested records
 */
export function findFileHeadFault(pdu: Buffer, expectedBytes: number): FaultReason | undefined {
  const [, dataBytes, fileBytes, referenceType] = pdu;
  if (dataBytes !== expectedBytes + 2) {
    const lengths = { count: String(dataBytes), expected: expectedBytes + 2 };
    return createReason(MODBUS_FAILURES, 'DATA_LENGTH', lengths);
  }
  if (fileBytes !== expectedBytes + 1) {
    const lengths = { count: String(fileBytes), expected: expectedBytes + 1 };
    return createReason(MODBUS_FAILURES, 'FILE_LENGTH', lengths);
  }
  if (referenceType === REFERENCE_TYPE) return undefined;
  return createReason(MODBUS_FAILURES, 'REFERENCE_TYPE', { type: String(referenceType) });
}

function encodeFileRead({ offset, quantity }: ReadRequest): Buffer {
  const { file, record } = toFileRecord(offset);
  const words = [file, record, quantity].flatMap((word) => [word >> 8, word & 0xff]);
  return Buffer.from([READ_FILE_FUNCTION, SUB_REQUEST_BYTES, REFERENCE_TYPE, ...words]);
}
