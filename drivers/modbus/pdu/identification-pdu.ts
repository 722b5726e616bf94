import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import type { IdentificationRequest } from './request.ts';

/** An identification object as received. */
export interface IdentificationObject {
  readonly id: number;
  readonly bytes: Buffer;
}

/** One response of an identification. */
export interface IdentificationPart {
  /**
   * Declared conformity level: 1 basic, 2 regular, 3 extended objects; plus 0x80 if objects can be read individually.
   */
  readonly conformityLevel: number;
  readonly objects: readonly IdentificationObject[];
  /** First object of the next request; absent after the last one. */
  readonly nextObjectId?: number | undefined;
}

/** Maximum PDU length (MODBUS Application Protocol V1.1b3, 4.1). */
export const MAXIMUM_PDU_BYTES = 253;

const FUNCTION_CODE = 43;
const MEI_TYPE = 14;
const MORE_FOLLOWS = 0xff;
// Function code, MEI type, category, conformity level, more follows, next object, number of objects.
const HEAD_BYTES = 7;
const OBJECT_HEAD_BYTES = 2;

/** Encodes the PDU of a request. */
export function encodeIdentification({ category, objectId }: IdentificationRequest): Buffer {
  return Buffer.from([FUNCTION_CODE, MEI_TYPE, category, objectId]);
}

/**
 * Determines the length of a response from its own length fields.
 *
 * @param pdu the response or its beginning
 * @returns undefined if there are too few bytes, or they are no such response
 */
export function measureIdentification(pdu: Buffer): number | undefined {
  const count = pdu[HEAD_BYTES - 1];
  if (count === undefined || pdu[1] !== MEI_TYPE) return undefined;
  let end = HEAD_BYTES;
  for (let object = 0; object < count; object += 1) {
    const bytes = pdu[end + 1];
    if (bytes === undefined) return undefined;
    end += OBJECT_HEAD_BYTES + bytes;
    if (end > MAXIMUM_PDU_BYTES) return undefined;
  }
  return end;
}

/** Returns the error in a response; undefined if it can be parsed. */
export function findIdentificationFault(pdu: Buffer): FaultReason | undefined {
  if (pdu[1] !== MEI_TYPE) {
    return createReason(MODBUS_FAILURES, 'MEI_TYPE', { type: String(pdu[1]), expected: MEI_TYPE });
  }
  const bytes = measureIdentification(pdu);
  if (bytes === undefined) return createReason(MODBUS_FAILURES, 'OBJECTS_TOO_LONG', {});
  if (bytes === pdu.length) return undefined;
  return createReason(MODBUS_FAILURES, 'OBJECTS_LENGTH', { count: pdu.length, expected: bytes });
}

/**
 * Parses a response.
 *
 * @param pdu a PDU without `findIdentificationFault`
 */
export function parseIdentification(pdu: Buffer): IdentificationPart {
  const objects: IdentificationObject[] = [];
  for (let start = HEAD_BYTES; start < pdu.length;) {
    const end = start + OBJECT_HEAD_BYTES + (pdu[start + 1] ?? 0);
    objects.push({ id: pdu[start] ?? 0, bytes: pdu.subarray(start + OBJECT_HEAD_BYTES, end) });
    start = end;
  }
  return {
    conformityLevel: pdu[3] ?? 0,
    objects,
    nextObjectId: pdu[4] === MORE_FOLLOWS ? (pdu[5] ?? 0) : undefined,
  };
}
