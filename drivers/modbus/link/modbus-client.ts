import { ExceptionAnswer } from '../modbus-errors.ts';
import type { LinkLost } from '../modbus-errors.ts';
import { AnswerFault } from '../value/pdu-codec.ts';
import type { PduCodec } from '../value/pdu-codec.ts';
import { findAnswerFault, findOtherWord, isShortAnswer } from '../pdu/answer.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { WarmUp } from '../health/warm-up.ts';

const EXCEPTION_BIT = 0x80;

/**
 * Counters of a client: answers over TCP that no call waits for, frames of a serial line that no call waits for, those of them
 * that are nobody's late answer, answers with a wrong check sum, and requests that came back without the setting for it.
 */
export type ClientCounter = 'strayAnswers' | 'lateFrames' | 'foreignFrames' | 'checksumErrors' | 'echoes';

/** An answer that came when it was waited for no more. */
export interface LateAnswer {
  /** The request that it is taken to answer; on serial lines the newest one of the unit. */
  readonly request: LineRequest;
  /** Absent unless it is an exception. */
  readonly exceptionCode?: number | undefined;
  /** Milliseconds since the request went out. */
  readonly durationMs: number;
}

/** A request that was given up, whose answer may still come. */
export interface MissedRequest {
  readonly request: LineRequest;
  /** When it went out, in monotonic milliseconds. */
  readonly sentMs: number;
}

/** Describes the late answer to a request; `pdu` is what came. */
export function toLateAnswer({ request, sentMs }: MissedRequest, pdu: Buffer, nowMs: number): LateAnswer {
  const isException = pdu[0] === (request.functionCode | EXCEPTION_BIT);
  return { request, durationMs: nowMs - sentMs, exceptionCode: isException ? pdu[1] : undefined };
}

/** Callbacks for events that belong to no call. */
export interface ClientEvents {
  /** The link is gone while no call was under way; called at most once. */
  readonly onLost: (error: LinkLost) => void;
  /** Something happened that is counted and does no harm. */
  readonly onCount: (counter: ClientCounter) => void;
  /** The answer to a probe came after the probe gave up. */
  readonly onLateProbeAnswer: (answer: LateAnswer) => void;
}

export interface TransactOptions {
  readonly timeoutMs: number;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** A probe that gets no answer leaves the link as it is, unless it was quiet before. */
  readonly isProbe?: boolean;
  /** A request that may be lost: that it gets no answer changes nothing for the link. */
  readonly isExpendable?: boolean;
  /** Called right before the request goes out. */
  readonly onSend?: (() => void) | undefined;
}

/** Carries requests over one link and returns only answers that belong to them. */
export interface ModbusClient {
  readonly isOpen: boolean;
  /** Nothing came in since a request was not answered; when another probe is not, the link is closed as dead. */
  readonly isQuiet: boolean;
  /** Whether the device ignores what comes first; absent where a link is not a connection. */
  readonly warmUp?: WarmUp | undefined;
  /**
   * Opens the link.
   *
   * @throws {ConnectionError}
   */
  open(signal: AbortSignal): Promise<void>;
  /**
   * Whether an apparent answer to this request may be its echo, because nothing showed yet that the line has none:
   * another request has to be answered before.
   */
  isAnswerAmbiguous(request: LineRequest): boolean;
  /** Closes the link; calls under way fail with `reason`. */
  close(reason: Error): void;
  /**
   * Sends one request and waits for its answer.
   *
   * @returns the bytes that a read brings, without padding; of an identification all of its answer; nothing for a write, or
   *   the word that the unit certainly confirms instead
   * @throws {ExceptionAnswer} when the unit refuses
   * @throws {NoAnswer} after `timeoutMs`
   * @throws {InvalidAnswer} when the answer is not one to the request
   * @throws {LinkLost} when the link goes
   * @throws the reason of the signal
   */
  transact(request: LineRequest, options: TransactOptions): Promise<Buffer>;
}

/** Result of an answer: the bytes that it brings, the refusal of the unit, or the error in it. */
export type AnswerOutcome = Buffer | ExceptionAnswer | AnswerFault;

/** Verifies and decodes the answer PDU of a call. */
export function interpretAnswer(
  codec: PduCodec,
  call: number,
  request: LineRequest,
  pdu: Buffer,
): AnswerOutcome {
  const otherWord = findOtherWord(request, pdu);
  if (otherWord !== undefined) return new AnswerFault('it confirms a different value', false, otherWord);
  const fault = findAnswerFault(request, pdu);
  if (fault !== undefined) return new AnswerFault(fault, isShortAnswer(request, pdu));
  if (((pdu[0] ?? 0) & EXCEPTION_BIT) !== 0) return new ExceptionAnswer(request.unitId, pdu[1] ?? 0);
  if (request.functionCode === 43) return Buffer.from(pdu);
  try {
    return codec.decode(call, request.unitId, pdu);
  } catch (error) {
    if (error instanceof AnswerFault) return error;
    throw error;
  }
}
