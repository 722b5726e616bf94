import { FUNCTIONS } from './modbus-functions.ts';
import { decodeDatagram } from './mbap.ts';
import { asciiFraming, rtuFraming } from './serial-framing.ts';
import type { FrameDirection } from '../../../daemon/channel/trace/tracing-driver.ts';

type Framing = 'MBAP' | 'RTU' | 'ASCII';

interface Frame {
  readonly unitId: number;
  readonly pdu: Buffer;
  readonly transactionId?: number;
}

const EXCEPTION_BIT = 0x80;
const MOST_VALUES = 16;

// MODBUS Application Protocol V1.1b3, 7.
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'Illegal Function',
  2: 'Illegal Data Address',
  3: 'Illegal Data Value',
  4: 'Server Device Failure',
  5: 'Acknowledge',
  6: 'Server Device Busy',
  8: 'Memory Parity Error',
  10: 'Gateway Path Unavailable',
  11: 'Gateway Target Device Failed to Respond',
};

/** Describes the bytes of a frame in the words of the standard; empty if they are no whole frame with a correct checksum. */
export function describeFrame(framing: Framing, direction: FrameDirection, bytes: Buffer): string {
  const frame = parseFrame(framing, bytes);
  if (frame === undefined || frame.pdu.length === 0) return '';
  const { unitId, pdu, transactionId } = frame;
  const head =
    transactionId === undefined ? `unit ${unitId}` : `transaction ${transactionId}, unit ${unitId}`;
  return `${head}: ${describePdu(direction, pdu)}`;
}

function parseFrame(framing: Framing, bytes: Buffer): Frame | undefined {
  if (framing === 'MBAP') return decodeDatagram(bytes);
  return (framing === 'RTU' ? rtuFraming : asciiFraming).parseWhole(bytes);
}

function describePdu(direction: FrameDirection, pdu: Buffer): string {
  const code = pdu[0] ?? 0;
  const name = nameFunction(code & ~EXCEPTION_BIT);
  if ((code & EXCEPTION_BIT) !== 0) {
    const exception = pdu[1] ?? 0;
    return `${name}, exception ${exception} ${EXCEPTIONS[exception] ?? ''}`.trimEnd();
  }
  const details = direction === 'SENT' ? describeRequest(code, pdu) : describeResponse(code, pdu);
  return details === '' ? name : `${name}, ${details}`;
}

function nameFunction(code: number): string {
  const known = Object.entries(FUNCTIONS).find(([key]) => Number(key) === code);
  return known === undefined ? `function ${code}` : known[1].name;
}

function describeRequest(code: number, pdu: Buffer): string {
  if (pdu.length < 5) return '';
  const offset = `offset ${pdu.readUInt16BE(1)}`;
  const second = pdu.readUInt16BE(3);
  if (code <= 4) return `${offset}, quantity ${second}`;
  if (code === 5) return `${offset}, ${second === 0 ? 'off' : 'on'}`;
  if (code === 6) return `${offset}, value ${second}`;
  if (code === 15) return `${offset}, quantity ${second}`;
  return code === 16 ? `${offset}, values ${listRegisters(pdu.subarray(6))}` : '';
}

function describeResponse(code: number, pdu: Buffer): string {
  if (code === 3 || code === 4) return `values ${listRegisters(pdu.subarray(2))}`;
  if (code === 1 || code === 2) return `bits ${listBits(pdu.subarray(2))}`;
  return code === 15 || code === 16 ? describeRequest(15, pdu) : describeRequest(code, pdu);
}

function listRegisters(bytes: Buffer): string {
  const count = Math.floor(bytes.length / 2);
  const values = Array.from({ length: Math.min(count, MOST_VALUES) }, (_, at) => bytes.readUInt16BE(at * 2));
  return `${values.join(' ')}${count > MOST_VALUES ? ` and ${count - MOST_VALUES} more` : ''}`;
}

// The first entry is the lowest bit of the first byte.
function listBits(bytes: Buffer): string {
  const shown = bytes.subarray(0, MOST_VALUES / 8);
  const bits = Array.from(shown, (byte) =>
    Array.from({ length: 8 }, (_, at) => (byte >> at) & 1).join(''),
  ).join('');
  return `${bits}${bytes.length > shown.length ? ' …' : ''}`;
}
