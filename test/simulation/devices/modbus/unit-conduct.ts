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
  | 'FOREIGN';

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

  constructor(unit: ModbusUnit, random: Random, answerMs: readonly [number, number]) {
    this.unit = unit;
    this.#random = random;
    this.#answerMs = answerMs;
  }

  /** Begins a fault of the whole unit, or behind those the one of an address; returns what ends it. */
  begin(effect: Effect, isOfAddress = false): () => void {
    if (isOfAddress) this.#effects.push(effect);
    else this.#effects.unshift(effect);
    return () => {
      this.#effects.splice(this.#effects.indexOf(effect), 1);
    };
  }

  /** Carries out a request; undefined when there is no answer. */
  answer(pdu: Buffer): Reply | undefined {
    const request = parseRequest(pdu);
    const [leastMs, mostMs] = this.#answerMs;
    const afterMs = leastMs + this.#random.fraction() * (mostMs - leastMs);
    if (request === undefined) return { pdu: encodeException(pdu[0] ?? 0, 1), afterMs };
    const effect = this.#effects.find(({ takes }) => takes === undefined || takes(request));
    if (effect === undefined) return { pdu: this.unit.carryOut(request), afterMs };
    const { instead, afterwards, delayMs = 0, distortion } = effect;
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
