// CRC-16 with the polynomial 0xA001, a byte at a time (MODBUS over Serial Line V1.02, 6.2.2).
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** Creates an RTU frame: unit identifier, PDU and CRC, low byte first. */
export function appendCrc(unitId: number, pdu: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(pdu.length + 3);
  frame[0] = unitId;
  frame.set(pdu, 1);
  const end = pdu.length + 1;
  frame.writeUInt16LE(calculateCrc(frame, end), end);
  return frame;
}

/** True if the bytes end with the CRC of the preceding bytes. */
export function hasRightCrc(frame: Buffer): boolean {
  const end = frame.length - 2;
  return end > 0 && frame.readUInt16LE(end) === calculateCrc(frame, end);
}

function calculateCrc(bytes: Uint8Array, end: number): number {
  let crc = 0xffff;
  for (let at = 0; at < end; at += 1) crc = (crc >> 8) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return crc;
}
