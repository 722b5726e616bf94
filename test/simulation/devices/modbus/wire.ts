/** What a Modbus request asks for (MODBUS Application Protocol V1.1b3, 6). */
export interface WireRequest {
  readonly functionCode: number;
  readonly offset: number;
  /** Entries to read or write; 1 where the function touches one. */
  readonly quantity: number;
  /** Bytes of the values to write: registers, packed coils, or the masks of function 22. */
  readonly values: Buffer;
}

/** Exceptions that devices answer with (V1.1b3, 7). */
export const EXCEPTION = {
  illegalFunction: 1,
  illegalAddress: 2,
  illegalValue: 3,
  deviceFailure: 4,
  acknowledge: 5,
  busy: 6,
  gatewayPath: 10,
  gatewayTarget: 11,
} as const;

const NO_VALUES = Buffer.alloc(0);
const COIL_ON = 0xff00;

/** Reads the PDU of a request; undefined when it is none that a device knows, or too short. */
export function parseRequest(pdu: Buffer): WireRequest | undefined {
  const functionCode = pdu[0] ?? 0;
  if (pdu.length < 5) return undefined;
  const offset = pdu.readUInt16BE(1);
  const second = pdu.readUInt16BE(3);
  switch (functionCode) {
    case 1:
    case 2:
    case 3:
    case 4:
      return { functionCode, offset, quantity: second, values: NO_VALUES };
    case 5:
      return { functionCode, offset, quantity: 1, values: Buffer.from([second === COIL_ON ? 1 : 0]) };
    case 6:
      return { functionCode, offset, quantity: 1, values: pdu.subarray(3, 5) };
    case 15:
    case 16:
      if (pdu.length < 6 || pdu.length !== 6 + (pdu[5] ?? 0)) return undefined;
      return { functionCode, offset, quantity: second, values: pdu.subarray(6) };
    case 22:
      return pdu.length === 7 ? { functionCode, offset, quantity: 1, values: pdu.subarray(3, 7) } : undefined;
    default:
      return undefined;
  }
}

/** Counts the bytes of the request that begins here, without its unit identifier; undefined while too little is known. */
export function countRequestBytes(pdu: Buffer): number | undefined {
  const functionCode = pdu[0];
  if (functionCode === undefined) return undefined;
  if (functionCode === 22) return 7;
  if (functionCode !== 15 && functionCode !== 16) return 5;
  return pdu[5] === undefined ? undefined : 6 + pdu[5];
}

/** Returns the PDU with which a device refuses a function. */
export function encodeException(functionCode: number, exceptionCode: number): Buffer {
  return Buffer.from([functionCode | 0x80, exceptionCode]);
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

function computeCrc(bytes: Uint8Array, end: number): number {
  let crc = 0xffff;
  for (let index = 0; index < end; index += 1) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  }
  return crc;
}

/** Returns a frame in RTU mode (MODBUS over Serial Line V1.02, 2.5.1). */
export function encodeRtu(unitId: number, pdu: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(pdu.length + 3);
  frame[0] = unitId;
  pdu.copy(frame, 1);
  frame.writeUInt16LE(computeCrc(frame, pdu.length + 1), pdu.length + 1);
  return frame;
}

/** Whether the bytes are a frame in RTU mode with the right check sum. */
export function isRtuFrame(bytes: Buffer): boolean {
  const end = bytes.length - 2;
  return end >= 2 && bytes.readUInt16LE(end) === computeCrc(bytes, end);
}

/** Returns a frame in ASCII mode (MODBUS over Serial Line V1.02, 2.5.2). */
export function encodeAscii(unitId: number, pdu: Buffer): Buffer {
  let sum = unitId;
  for (const byte of pdu) sum += byte;
  const bytes = Buffer.concat([Buffer.from([unitId]), pdu, Buffer.from([-sum & 0xff])]);
  return Buffer.from(`:${bytes.toString('hex').toUpperCase()}\r\n`, 'latin1');
}

/** Returns unit identifier and PDU of a frame in ASCII mode; undefined when it is none, or its check sum is wrong. */
export function decodeAscii(characters: Buffer): Buffer | undefined {
  const text = characters.toString('latin1');
  if (!text.startsWith(':') || !text.endsWith('\r\n')) return undefined;
  const digits = text.slice(1, -2);
  if (digits.length < 6 || !/^(?:[\dA-F]{2})+$/.test(digits)) return undefined;
  const bytes = Buffer.from(digits, 'hex');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return (sum & 0xff) === 0 ? bytes.subarray(0, -1) : undefined;
}
