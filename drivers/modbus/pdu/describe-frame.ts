import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_TRACE_SENTENCES as SENTENCES } from '../trace-sentences.ts';
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

/** Returns the parts that describe the bytes of a frame in the words of the standard; none if they are no whole frame with a correct checksum. */
export function explainFrame(
  framing: Framing,
  direction: FrameDirection,
  bytes: Buffer,
): readonly FaultReason[] {
  const frame = parseFrame(framing, bytes);
  if (frame === undefined || frame.pdu.length === 0) return [];
  const { pdu } = frame;
  const code = pdu[0] ?? 0;
  const head = explainHead(frame, code & ~EXCEPTION_BIT);
  if ((code & EXCEPTION_BIT) !== 0) return [head, explainException(pdu[1] ?? 0)];
  return [head, ...(direction === 'SENT' ? explainRequest(code, pdu) : explainResponse(code, pdu))];
}

function parseFrame(framing: Framing, bytes: Buffer): Frame | undefined {
  if (framing === 'MBAP') return decodeDatagram(bytes);
  return (framing === 'RTU' ? rtuFraming : asciiFraming).parseWhole(bytes);
}

function explainHead({ unitId: unit, transactionId: transaction }: Frame, code: number): FaultReason {
  const [, known] = Object.entries(FUNCTIONS).find(([key]) => Number(key) === code) ?? [];
  if (known === undefined) {
    return transaction === undefined
      ? createReason(SENTENCES, 'TRACE_UNIT_OTHER_FUNCTION', { unit, code })
      : createReason(SENTENCES, 'TRACE_TRANSACTION_OTHER_FUNCTION', { transaction, unit, code });
  }
  const { name } = known;
  return transaction === undefined
    ? createReason(SENTENCES, 'TRACE_UNIT', { unit, function: name })
    : createReason(SENTENCES, 'TRACE_TRANSACTION', { transaction, unit, function: name });
}

function explainException(exception: number): FaultReason {
  const name = EXCEPTIONS[exception];
  return name === undefined
    ? createReason(SENTENCES, 'TRACE_OTHER_EXCEPTION', { exception })
    : createReason(SENTENCES, 'TRACE_EXCEPTION', { exception, name });
}

function explainRequest(code: number, pdu: Buffer): readonly FaultReason[] {
  if (pdu.length < 5) return [];
  const offset = createReason(SENTENCES, 'TRACE_OFFSET', { offset: pdu.readUInt16BE(1) });
  const second = pdu.readUInt16BE(3);
  const quantity = createReason(SENTENCES, 'TRACE_QUANTITY', { quantity: second });
  if (code <= 4) return [offset, quantity];
  if (code === 5) return [offset, createReason(SENTENCES, second === 0 ? 'TRACE_OFF' : 'TRACE_ON', {})];
  if (code === 6) return [offset, createReason(SENTENCES, 'TRACE_VALUE', { value: second })];
  if (code === 15) return [offset, quantity];
  return code === 16 ? [offset, explainRegisters(pdu.subarray(6))] : [];
}

function explainResponse(code: number, pdu: Buffer): readonly FaultReason[] {
  if (code === 3 || code === 4) return [explainRegisters(pdu.subarray(2))];
  if (code === 1 || code === 2)
    return [createReason(SENTENCES, 'TRACE_BITS', { bits: listBits(pdu.subarray(2)) })];
  return code === 15 || code === 16 ? explainRequest(15, pdu) : explainRequest(code, pdu);
}

function explainRegisters(bytes: Buffer): FaultReason {
  const count = Math.floor(bytes.length / 2);
  const shown = Array.from({ length: Math.min(count, MOST_VALUES) }, (_, at) => bytes.readUInt16BE(at * 2));
  const values = shown.join(' ');
  return count > MOST_VALUES
    ? createReason(SENTENCES, 'TRACE_VALUES_AND_MORE', { values, more: count - MOST_VALUES })
    : createReason(SENTENCES, 'TRACE_VALUES', { values });
}

// The first entry is the lowest bit of the first byte.
function listBits(bytes: Buffer): string {
  const shown = bytes.subarray(0, MOST_VALUES / 8);
  const bits = Array.from(shown, (byte) =>
    Array.from({ length: 8 }, (_, at) => (byte >> at) & 1).join(''),
  ).join('');
  return `${bits}${bytes.length > shown.length ? ' …' : ''}`;
}
