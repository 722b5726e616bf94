import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import { ExceptionResponse } from '../modbus-errors.ts';
import type { LinkLost } from '../modbus-errors.ts';
import { ResponseFault } from '../value/pdu-codec.ts';
import type { PduCodec } from '../value/pdu-codec.ts';
import { findResponseFault, findOtherWord, isShortResponse, sentFunctionOf } from '../pdu/response.ts';
import { isRead } from '../pdu/modbus-functions.ts';
import { countReadHead } from '../pdu/register-pdu.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { WarmUp } from '../health/warm-up.ts';

const EXCEPTION_BIT = 0x80;

/**
 * Counters of a client: unexpected responses over TCP, unexpected frames of a serial line, those of them that cannot be
 * late responses, responses with a wrong checksum, and echoes without the setting for them.
 */
export type ClientCounter = 'strayAnswers' | 'lateFrames' | 'foreignFrames' | 'checksumErrors' | 'echoes';

/** A response that arrived after its timeout. */
export interface LateResponse {
  /** The request that it is assumed to answer; on serial lines the newest one to the unit. */
  readonly request: LineRequest;
  /** Absent unless it is an exception. */
  readonly exceptionCode?: number | undefined;
  /** Milliseconds since the request was sent. */
  readonly durationMs: number;
}

/** A request that timed out and whose response may still arrive. */
export interface MissedRequest {
  readonly request: LineRequest;
  /** Time when it was sent, in monotonic milliseconds. */
  readonly sentMs: number;
}

/** Describes the late response `pdu` to a request. */
export function toLateResponse({ request, sentMs }: MissedRequest, pdu: Buffer, nowMs: number): LateResponse {
  const isException = pdu[0] === (sentFunctionOf(request) | EXCEPTION_BIT);
  return { request, durationMs: nowMs - sentMs, exceptionCode: isException ? pdu[1] : undefined };
}

/** Callbacks for events that belong to no call. */
export interface ClientEvents {
  /** The link was lost while no call was outstanding; called at most once. */
  readonly onLost: (error: LinkLost) => void;
  /** A harmless event to count. */
  readonly onCount: (counter: ClientCounter) => void;
  /** The response to a probe arrived after its timeout. */
  readonly onLateProbeResponse: (response: LateResponse) => void;
}

export interface TransactOptions {
  readonly timeoutMs: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** A probe that times out keeps the link open unless the link was quiet before. */
  readonly isProbe?: boolean;
  /** A request that may be lost: its timeout changes nothing for the link. */
  readonly isExpendable?: boolean;
  /** Called right before the request is sent. */
  readonly onSend?: (() => void) | undefined;
}

/** Sends requests over one link and returns only the responses that belong to them. */
export interface ModbusClient {
  readonly isOpen: boolean;
  /** True if nothing was received since a request timed out; the link is closed as dead if another probe times out. */
  readonly isQuiet: boolean;
  /** Detects a device that ignores early requests; absent if the link is not a connection. */
  readonly warmUp?: WarmUp | undefined;
  /**
   * Opens the link.
   *
   * @throws {ConnectionError}
   */
  open(signal: AbortSignal): Promise<void>;
  /**
   * True if an apparent response to this request may be its echo, because the line may have one: another request must
   * be answered first.
   */
  isResponseAmbiguous(request: LineRequest): boolean;
  /** Closes the link; outstanding calls fail with `reason`. */
  close(reason: Error): void;
  /**
   * Sends one request and waits for its response.
   *
   * @returns the bytes of a read without padding; the whole response of an identification; nothing for a write, or the
   *   word that the unit certainly confirmed instead
   * @throws {ExceptionResponse} if the unit refuses
   * @throws {NoResponse} after `timeoutMs`
   * @throws {InvalidResponse} if the response does not match the request
   * @throws {LinkLost} if the link is lost
   * @throws the reason of the signal
   */
  transact(request: LineRequest, options: TransactOptions): Promise<Buffer>;
}

/** Result of a response: its bytes, the refusal of the unit, or the error in it. */
export type ResponseOutcome = Buffer | ExceptionResponse | ResponseFault;

/** Verifies and decodes the response PDU of a call. */
export function interpretResponse(
  codec: PduCodec,
  call: number,
  request: LineRequest,
  pdu: Buffer,
): ResponseOutcome {
  const otherWord = findOtherWord(request, pdu);
  if (otherWord !== undefined) {
    const reason = createReason(MODBUS_FAILURES, 'OTHER_VALUE_CONFIRMED', {});
    return new ResponseFault(reason, false, otherWord);
  }
  const fault = findResponseFault(request, pdu);
  if (fault !== undefined) return new ResponseFault(fault, isShortResponse(request, pdu));
  if (((pdu[0] ?? 0) & EXCEPTION_BIT) !== 0) return new ExceptionResponse(request.unitId, pdu[1] ?? 0);
  if (request.functionCode === 43) return Buffer.from(pdu);
  // Nothing is left to check. The library would compute the CRC of a frame that has none bit by bit, and each value once more: 3.5 of
  // the 4 µs that the response with 125 registers costs.
  if (isRead(request)) return Buffer.from(pdu.subarray(countReadHead(request)));
  try {
    return codec.decode(call, request.unitId, pdu);
  } catch (error) {
    if (error instanceof ResponseFault) return error;
    throw error;
  }
}

/** Returns the bytes of a register. */
export function toWord(word: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(word);
  return bytes;
}

/** Describes the fault of a response with another unit identifier, and the setting that accepts it. */
export function explainForeignUnit(received: number): readonly FaultReason[] {
  return [
    createReason(MODBUS_FAILURES, 'UNIT_IDENTIFIER', { received }),
    createReason(MODBUS_FAILURES, 'IGNORE_UNIT_IDENTIFIER', {}),
  ];
}
