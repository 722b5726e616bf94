import { appendCrc, hasRightCrc } from '../../drivers/modbus/pdu/crc.ts';
import type { PlantMemory } from './modbus-server.ts';
import type { Table } from '../../drivers/modbus/modbus-address.ts';
import { FUNCTIONS } from '../../drivers/modbus/pdu/modbus-functions.ts';

interface RtuServerOptions {
  readonly memory: PlantMemory;
  /** Units that respond; requests to others time out, as on a real line. */
  readonly unitIds: readonly number[];
  /** Sends a frame over the line. */
  readonly send: (frame: Buffer) => void;
}

// Unit identifier, PDU of up to 253 bytes, CRC (MODBUS over Serial Line V1.02, 2.5.1).
const MAXIMUM_FRAME_BYTES = 256;
const SHORTEST_FRAME_BYTES = 4;

const ILLEGAL_FUNCTION = 0x01;
const ILLEGAL_DATA_ADDRESS = 0x02;
const ILLEGAL_DATA_VALUE = 0x03;
const SERVER_DEVICE_FAILURE = 0x04;

const COIL_ON = 0xff00;

const READ_TABLES: Readonly<Record<number, Table>> = {
  1: 'COILS',
  2: 'DISCRETE_INPUTS',
  3: 'HOLDING_REGISTERS',
  4: 'INPUT_REGISTERS',
};

interface Request {
  readonly memory: PlantMemory;
  readonly unitId: number;
  readonly pdu: Buffer;
  readonly functionCode: number;
}

/**
 * Serves the memory of a simulated plant in RTU mode.
 *
 * The length of a request follows from its function code, not from a silent interval, which a pseudo terminal does not
 * preserve. A frame with a wrong CRC is discarded together with the bytes received after it; broadcasts are ignored.
 *
 * @returns processes received bytes, in chunks of any size
 */
export function createRtuServer({ memory, unitIds, send }: RtuServerOptions): (bytes: Buffer) => void {
  let received = Buffer.alloc(0);
  return (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const length = findRequestLength(received);
      if (length === undefined || received.length < length) break;
      const frame = received.subarray(0, length);
      const isWhole = hasRightCrc(frame);
      received = isWhole ? received.subarray(length) : Buffer.alloc(0);
      if (isWhole) answer(frame);
    }
    if (received.length > MAXIMUM_FRAME_BYTES) received = Buffer.alloc(0);
  };

  function answer(frame: Buffer): void {
    const unitId = frame[0] ?? 0;
    if (!unitIds.includes(unitId)) return;
    send(appendCrc(unitId, answerRequest(memory, unitId, frame.subarray(1, -2))));
  }
}

/** Returns the length of the frame that begins here, in bytes; undefined while unknown. */
function findRequestLength(received: Buffer): number | undefined {
  const functionCode = received[1];
  if (functionCode === undefined) return undefined;
  if (functionCode >= 1 && functionCode <= 6) return 8;
  if (functionCode === 15 || functionCode === 16) {
    const byteCount = received[6];
    return byteCount === undefined ? undefined : 9 + byteCount;
  }
  // For other function codes no length is known: bytes with a correct CRC count as one frame.
  return received.length >= SHORTEST_FRAME_BYTES && hasRightCrc(received) ? received.length : undefined;
}

/** A refusal with the exception code of the response. */
class Refusal extends Error {
  readonly exceptionCode: number;

  constructor(exceptionCode: number) {
    super(`exception ${exceptionCode}`);
    this.exceptionCode = exceptionCode;
  }
}

/**
 * Executes a request as a server does (MODBUS Application Protocol V1.1b3, 6).
 *
 * Function codes 1 to 6, 15 and 16; others return exception 01. A refused request changes nothing.
 *
 * @param pdu function code and data; of any length and content
 * @returns the PDU of the response
 */
export function answerRequest(memory: PlantMemory, unitId: number, pdu: Buffer): Buffer {
  const functionCode = pdu[0] ?? 0;
  try {
    return execute({ memory, unitId, pdu, functionCode });
  } catch (error) {
    const exceptionCode = error instanceof Refusal ? error.exceptionCode : SERVER_DEVICE_FAILURE;
    return Buffer.from([functionCode | 0x80, exceptionCode]);
  }
}

function execute(request: Request): Buffer {
  const { pdu, functionCode } = request;
  switch (functionCode) {
    case 1:
    case 2:
    case 3:
    case 4:
      return read(request);
    case 5:
      return writeCoil(request);
    case 6:
      requireLength(pdu, 5);
      writeAll(request, 'HOLDING_REGISTERS', [pdu.readUInt16BE(3)]);
      return pdu;
    case 15:
    case 16:
      return writeMany(request);
    default:
      throw new Refusal(ILLEGAL_FUNCTION);
  }
}

function read({ memory, unitId, pdu, functionCode }: Request): Buffer {
  requireLength(pdu, 5);
  const table = READ_TABLES[functionCode] ?? 'COILS';
  const isBits = functionCode <= 2;
  const quantity = pdu.readUInt16BE(3);
  requireQuantity(quantity, isBits ? FUNCTIONS[1].maximumQuantity : FUNCTIONS[3].maximumQuantity);
  const entries = readEntries(memory, unitId, { table, offset: pdu.readUInt16BE(1), quantity });
  const bytes = isBits ? packBits(entries) : packRegisters(entries);
  return Buffer.concat([Buffer.from([functionCode, bytes.length]), bytes]);
}

function writeCoil(request: Request): Buffer {
  const { pdu } = request;
  requireLength(pdu, 5);
  const value = pdu.readUInt16BE(3);
  if (value !== 0 && value !== COIL_ON) throw new Refusal(ILLEGAL_DATA_VALUE);
  writeAll(request, 'COILS', [value === COIL_ON ? 1 : 0]);
  return pdu;
}

function writeMany(request: Request): Buffer {
  const { pdu, functionCode } = request;
  const isBits = functionCode === 15;
  if (pdu.length < 6) throw new Refusal(ILLEGAL_DATA_VALUE);
  const quantity = pdu.readUInt16BE(3);
  requireQuantity(quantity, isBits ? FUNCTIONS[15].maximumQuantity : FUNCTIONS[16].maximumQuantity);
  const byteCount = isBits ? Math.ceil(quantity / 8) : 2 * quantity;
  if (pdu[5] !== byteCount) throw new Refusal(ILLEGAL_DATA_VALUE);
  requireLength(pdu, 6 + byteCount);
  const bytes = pdu.subarray(6);
  const values = Array.from({ length: quantity }, (_, index) =>
    isBits ? ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1 : bytes.readUInt16BE(2 * index),
  );
  writeAll(request, isBits ? 'COILS' : 'HOLDING_REGISTERS', values);
  return pdu.subarray(0, 5);
}

// All addresses are checked before the first is set.
function writeAll({ memory, unitId, pdu }: Request, table: Table, values: readonly number[]): void {
  const offset = pdu.readUInt16BE(1);
  readEntries(memory, unitId, { table, offset, quantity: values.length });
  for (const [index, value] of values.entries()) {
    if (!memory.write(unitId, table, offset + index, value)) throw new Refusal(ILLEGAL_DATA_ADDRESS);
  }
}

function readEntries(
  memory: PlantMemory,
  unitId: number,
  { table, offset, quantity }: { readonly table: Table; readonly offset: number; readonly quantity: number },
): readonly number[] {
  return Array.from({ length: quantity }, (_, index) => {
    const value = offset + index > 0xffff ? undefined : memory.read(unitId, table, offset + index);
    if (value === undefined) throw new Refusal(ILLEGAL_DATA_ADDRESS);
    return value;
  });
}

function packBits(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) {
    if (bit !== 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}

function packRegisters(registers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * registers.length);
  for (const [index, register] of registers.entries()) bytes.writeUInt16BE(register, 2 * index);
  return bytes;
}

function requireLength(pdu: Buffer, length: number): void {
  if (pdu.length !== length) throw new Refusal(ILLEGAL_DATA_VALUE);
}

function requireQuantity(quantity: number, maximum: number): void {
  if (quantity < 1 || quantity > maximum) throw new Refusal(ILLEGAL_DATA_VALUE);
}
