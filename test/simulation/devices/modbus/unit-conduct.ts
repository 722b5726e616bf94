import type { AskedOutcome } from '../line-load.ts';
import type { Random } from '../../world/random.ts';
import { encodeException, parseRequest } from './wire.ts';
import type { WireRequest } from './wire.ts';
import type { ModbusUnit } from './modbus-unit.ts';

/** What is wrong with the form of an answer. */
export type Distortion =
  | 'GARBLED'
  | 'CUT'
  | 'WRONG_TRANSACTION'
  | 'WRONG_UNIT'
  | 'WRONG_FUNCTION'
  | 'WRONG_BYTE_COUNT'
  | 'SHORT'
  | 'DOUBLED'
  | 'FOREIGN'
  | 'OTHER_ECHO';

/** What a device sends for a request, and when; whoever frames it distorts it. */
export interface Reply {
  readonly pdu: Buffer;
  /** Milliseconds after the request. */
  readonly afterMs: number;
  readonly distortion?: Distortion | undefined;
}

/** What a fault makes of a request that it takes. */
export interface Effect {
  /** Absent: the fault takes every request. */
  readonly takes?: (request: WireRequest) => boolean;
  /** The request is not carried out, and this is the answer; undefined: there is none. */
  readonly instead?: { readonly exceptionCode: number | undefined };
  /** The request is carried out, and this is the answer; undefined: there is none. */
  readonly afterwards?: { readonly exceptionCode: number | undefined };
  /** Milliseconds beside those that the unit takes anyway. */
  readonly delayMs?: number;
  readonly distortion?: Distortion;
}

/** How a unit treats requests: as in order, or as its faults have it. */
export class UnitConduct {
  readonly unit: ModbusUnit;
  readonly #random: Random;
  /** Milliseconds that it takes for an answer: at least, and at most. */
  readonly #answerMs: readonly [number, number];
  readonly #effects: Effect[] = [];
  readonly #ofAddresses = new Set<Effect>();
  /** Told of each request and what became of it. */
  onAsked: ((outcome: AskedOutcome, reply: Reply | undefined) => void) | undefined;

  constructor(unit: ModbusUnit, random: Random, answerMs: readonly [number, number]) {
    this.unit = unit;
    this.#random = random;
    this.#answerMs = answerMs;
  }

  /** Begins a fault of the whole unit, or behind those the one of an address; returns what ends it. */
  begin(effect: Effect, isOfAddress = false): () => void {
    if (isOfAddress) {
      this.#effects.push(effect);
      this.#ofAddresses.add(effect);
    } else this.#effects.unshift(effect);
    return () => {
      this.#ofAddresses.delete(effect);
      this.#effects.splice(this.#effects.indexOf(effect), 1);
    };
  }

  /** Carries out a request; undefined when there is no answer. */
  answer(pdu: Buffer): Reply | undefined {
    const request = parseRequest(pdu);
    const effect = request && this.#effects.find(({ takes }) => takes === undefined || takes(request));
    const reply = this.#answer(pdu, request, effect);
    const isOfAddress = effect !== undefined && this.#ofAddresses.has(effect);
    this.onAsked?.(reply !== undefined ? 'ANSWERED' : isOfAddress ? 'SILENT_ADDRESS' : 'SILENT', reply);
    return reply;
  }

  #answer(pdu: Buffer, request: WireRequest | undefined, effect: Effect | undefined): Reply | undefined {
    const [leastMs, mostMs] = this.#answerMs;
    const afterMs = leastMs + this.#random.fraction() * (mostMs - leastMs);
    if (request === undefined) return { pdu: encodeException(pdu[0] ?? 0, 1), afterMs };
    if (effect === undefined) return { pdu: this.unit.carryOut(request), afterMs };
    const { instead, afterwards, delayMs = 0, distortion } = effect;
    if (distortion === 'OTHER_ECHO') return { pdu: echoOtherwise(pdu), afterMs };
    const answer = instead === undefined ? this.unit.carryOut(request) : undefined;
    const refusal = instead ?? afterwards;
    if (refusal === undefined) {
      return { pdu: answer ?? pdu, afterMs: afterMs + delayMs, distortion };
    }
    const { exceptionCode } = refusal;
    if (exceptionCode === undefined) return undefined;
    return { pdu: encodeException(request.functionCode, exceptionCode), afterMs: afterMs + delayMs };
  }
}

// Functions 15 and 16 are confirmed without the values.
const CONFIRMATION_BYTES = 5;

/** Confirms a write of another value or quantity, which is not carried out either. */
function echoOtherwise(pdu: Buffer): Buffer {
  const functionCode = pdu[0] ?? 0;
  const echo = Buffer.from(
    functionCode === 15 || functionCode === 16 ? pdu.subarray(0, CONFIRMATION_BYTES) : pdu,
  );
  const last = echo.length - 1;
  echo[last] = (echo[last] ?? 0) ^ 1;
  return echo;
}
