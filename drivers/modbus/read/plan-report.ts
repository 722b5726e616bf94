import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_TRACE_SENTENCES } from '../trace-sentences.ts';
import type { GatewayError } from '../../../daemon/base/errors.ts';
import type { PlannedRequest } from '../../../daemon/channel/driver.ts';
import { countEntryBytes, describeEntries, locateEntries } from '../pdu/modbus-functions.ts';
import type { PlannedRead, Span } from './read-plan.ts';

/** Character format and speed of a serial line. */
export interface LineSpeed {
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: 'none' | 'even' | 'odd';
}

/** Framing and speed of a connection. */
export interface Wire {
  /** MBAP is Modbus TCP; RTU and ASCII are the two modes of serial lines. */
  readonly framing: 'MBAP' | 'RTU' | 'ASCII';
  /** Absent if the speed is unknown, for example over TCP. */
  readonly speed?: LineSpeed | undefined;
  readonly delayBetweenRequestsMs: number;
}

/** A planned request, its channels and its duration. */
export interface ReportedRead extends PlannedRead<Span & { readonly name: string }> {
  /** Milliseconds from request to response in the newest exchange; absent before the first. */
  readonly measuredMs?: number | undefined;
}

// Function code, offset and quantity; function code and byte count (MODBUS Application Protocol V1.1b3, 6.1 to 6.4).
const REQUEST_PDU_BYTES = 5;
const RESPONSE_HEAD_BYTES = 2;

/** Returns the cost of a planned read on the wire and, if known, the reason for not sending it. */
export function describeRead(read: ReportedRead, wire: Wire, refusal?: GatewayError): PlannedRequest {
  const { unitId, table, quantity, spans, measuredMs } = read;
  const payloadBytes = countEntryBytes(table, quantity);
  const requestBytes = countFrameBytes(REQUEST_PDU_BYTES, wire.framing);
  const answerBytes = countFrameBytes(RESPONSE_HEAD_BYTES + payloadBytes, wire.framing);
  return {
    name: `unit ${unitId} ${describeEntries(read)}`,
    nameReasons: [explainEntries(read)],
    channels: spans.map(({ name }) => name),
    requestBytes,
    answerBytes,
    wireMs: wireMsOf(requestBytes + answerBytes, wire),
    measuredMs,
    notSent: refusal?.detail,
    notSentCode: refusal?.code,
    notSentReasons: refusal?.reasons,
  };
}

function explainEntries({ unitId: unit, ...entries }: ReportedRead): FaultReason {
  const { table, range, file } = locateEntries(entries);
  return file === undefined
    ? createReason(MODBUS_TRACE_SENTENCES, 'PLANNED_ENTRIES', { unit, table, range })
    : createReason(MODBUS_TRACE_SENTENCES, 'PLANNED_RECORDS', { unit, table, file, range });
}

/** Returns the silent interval that ends a frame in RTU mode, in milliseconds. */
export function silentIntervalMs(speed: LineSpeed): number {
  // 3.5 silent characters; above 19200 baud the standard recommends a fixed 1.75 ms instead (MODBUS over Serial Line
  // V1.02, 2.5.1.1).
  return speed.baudRate > 19_200 ? 1.75 : 3.5 * characterMsOf(speed);
}

function countFrameBytes(pduBytes: number, framing: Wire['framing']): number {
  switch (framing) {
    case 'MBAP':
      return pduBytes + 7;
    case 'RTU':
      // Unit identifier and CRC.
      return pduBytes + 3;
    case 'ASCII':
      // A colon, two characters for each byte with unit identifier and LRC, CR and LF.
      return 1 + 2 * (pduBytes + 2) + 2;
  }
}

function wireMsOf(bytes: number, { framing, speed, delayBetweenRequestsMs }: Wire): number | undefined {
  if (speed === undefined) return undefined;
  const silentMs = framing === 'RTU' ? silentIntervalMs(speed) : 0;
  // The unit waits one silent interval before it treats the request as complete, and so does the next request.
  return bytes * characterMsOf(speed) + silentMs + Math.max(silentMs, delayBetweenRequestsMs);
}

/** Returns the duration of one character, in milliseconds. */
export function characterMsOf({ baudRate, dataBits, stopBits, parity }: LineSpeed): number {
  const bits = 1 + dataBits + (parity === 'none' ? 0 : 1) + stopBits;
  return (bits * 1000) / baudRate;
}
