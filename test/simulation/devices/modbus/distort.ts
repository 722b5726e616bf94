import type { Distortion } from './unit-conduct.ts';

/** Returns the PDU with the part of a distortion that is inside it; the frame around it is in order then. */
export function distortPdu(pdu: Buffer, distortion: Distortion | undefined): Buffer {
  const isException = ((pdu[0] ?? 0) & 0x80) !== 0;
  if (isException || distortion === undefined) return pdu;
  const distorted = Buffer.from(pdu);
  switch (distortion) {
    case 'WRONG_FUNCTION':
      distorted[0] = (pdu[0] ?? 0) === 3 ? 4 : 3;
      return distorted;
    case 'WRONG_BYTE_COUNT':
      distorted[1] = (pdu[1] ?? 0) ^ 0x40;
      return distorted;
    case 'SHORT':
      return shorten(distorted);
    case 'WRONG_UNIT':
      return alter(distorted);
    default:
      return pdu;
  }
}

// What another unit has at the same addresses.
function alter(pdu: Buffer): Buffer {
  const functionCode = pdu[0] ?? 0;
  if (functionCode > 4) return pdu;
  for (let at = 2; at < pdu.length; at += 1) pdu[at] = (pdu[at] ?? 0) ^ 0x25;
  return pdu;
}

// One register, or one byte of bits, less than was asked for; what has one only is left as it is.
function shorten(pdu: Buffer): Buffer {
  const functionCode = pdu[0] ?? 0;
  if (functionCode > 4) return pdu;
  const missing = functionCode > 2 ? 2 : 1;
  if ((pdu[1] ?? 0) <= missing) return pdu;
  pdu[1] = (pdu[1] ?? 0) - missing;
  return pdu.subarray(0, -missing);
}
