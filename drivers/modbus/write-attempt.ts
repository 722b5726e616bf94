import { createUnknownOutcome, toFailure } from '../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../daemon/channel/driver-errors.ts';
import { WriteWithdrawn } from '../../daemon/channel/withdrawn-write.ts';
import { BusyPauses, isBusy } from './busy-pauses.ts';
import type { BusyPausesOptions } from './busy-pauses.ts';
import { ACKNOWLEDGE, ExceptionAnswer, GATEWAY_TARGET_SILENT } from './exception.ts';
import { AddressSuspended, InvalidAnswer, NoAnswer } from './modbus-errors.ts';
import type { Answer, ExchangeOptions } from './exchange.ts';

/** What became of a request that writes. */
export type WriteResult =
  | {
      readonly kind: 'WRITTEN';
      readonly timestampMs: number;
      /** Nobody answers a broadcast. */
      readonly isUnconfirmed: boolean;
      /** What the register held, where it had to be read. */
      readonly registerBefore?: number | undefined;
    }
  /** The unit confirmed another value: it holds the word. */
  | { readonly kind: 'CHANGED'; readonly failure: ChannelFailure; readonly word: number }
  /** The device took a part of a value that it takes in several requests. */
  | { readonly kind: 'PARTLY_WRITTEN'; readonly failure: ChannelFailure }
  /** By the unit, or before it was sent, because the unit ignores the address. */
  | { readonly kind: 'REFUSED'; readonly error: ExceptionAnswer | AddressSuspended }
  | {
      readonly kind: 'NOT_SENT';
      readonly failure: ChannelFailure;
      /** It was no longer to be sent when its turn came. */
      readonly isWithdrawn: boolean;
    }
  | {
      readonly kind: 'UNKNOWN';
      readonly failure: ChannelFailure;
      /** A frame confirms this word, which may not belong to the request. */
      readonly word?: number | undefined;
    };

/** Sends a request and waits for its answer. */
type Exchange = (options: ExchangeOptions) => Promise<Answer>;

const ACCEPTED = 'it accepted the request and has not said yet whether it is done';

/** The writes of one call: after one whose outcome is not known, its unit is sent no more. */
export class WriteAttempts {
  readonly #signal: AbortSignal;
  readonly #pauses: BusyPauses;
  /** Units with an unknown outcome, and the failure that their other values show. */
  readonly #held = new Map<number, ChannelFailure>();
  #hasSent = false;

  constructor(options: BusyPausesOptions) {
    this.#signal = options.signal;
    this.#pauses = new BusyPauses(options);
  }

  /**
   * Has a request sent, unless its unit is held back; again when the unit was busy, because it did nothing then.
   *
   * @throws {ConnectionError} when the link was down before anything was sent
   */
  async make(unitId: number, exchange: Exchange): Promise<WriteResult> {
    for (;;) {
      const result = await this.#makeOnce(unitId, exchange);
      const wasBusy = result.kind === 'REFUSED' && isBusy(result.error);
      if (!wasBusy) this.#pauses.noteReady(unitId);
      if (!wasBusy || !(await this.#pauses.wait(unitId))) return result;
    }
  }

  /**
   * Has nothing more sent to a unit, because values that follow one another mean something in their order.
   *
   * @param reason what the unit did, in words
   */
  holdBack(unitId: number, code: string, reason: string): void {
    this.#held.set(unitId, { code, message: `unit ${unitId} ${reason}; not sent` });
  }

  async #makeOnce(unitId: number, exchange: Exchange): Promise<WriteResult> {
    const held = this.#held.get(unitId);
    if (held !== undefined) return { kind: 'NOT_SENT', failure: held, isWithdrawn: false };
    const signal = this.#signal;
    let isSent = false;
    const onSend = (): void => {
      isSent = true;
      this.#hasSent = true;
    };
    try {
      const { bytes, timestampMs, isUnconfirmed } = await exchange({ signal, onSend });
      if (bytes.length > 0) return toChanged(unitId, bytes.readUInt16BE());
      return { kind: 'WRITTEN', timestampMs, isUnconfirmed };
    } catch (error) {
      if (isRefusal(error, isSent)) return { kind: 'REFUSED', error };
      if (!isSent && !this.#hasSent && error instanceof ConnectionError && !signal.aborted) throw error;
      const failure = isAccepted(error) ? toChannelFailure(error) : toFailure(error, signal);
      if (isSent || error instanceof NoAnswer) {
        this.holdBack(unitId, failure.code, 'did not confirm the write before');
      }
      if (!isSent) return { kind: 'NOT_SENT', failure, isWithdrawn: error instanceof WriteWithdrawn };
      const reason = isAccepted(error) ? `${failure.message}: ${ACCEPTED}` : failure.message;
      const word = error instanceof InvalidAnswer ? error.otherWord : undefined;
      return { kind: 'UNKNOWN', failure: createUnknownOutcome('MODBUS_WRITE_OUTCOME_UNKNOWN', reason), word };
    }
  }
}

function toChanged(unitId: number, word: number): WriteResult {
  const message = `unit ${unitId} confirmed another value than the one that was sent`;
  return { kind: 'CHANGED', failure: { code: 'MODBUS_OTHER_VALUE_CONFIRMED', message }, word };
}

// Behind a gateway that got no answer the unit may have carried out the request, and one that accepted it will do so.
function isRefusal(error: unknown, isSent: boolean): error is ExceptionAnswer | AddressSuspended {
  if (!(error instanceof ExceptionAnswer)) return error instanceof AddressSuspended;
  return error.exceptionCode !== GATEWAY_TARGET_SILENT && !(isSent && isAccepted(error));
}

// The unit needs a long time and answers so that the client does not time out (V1.1b3, 7).
function isAccepted(error: unknown): error is ExceptionAnswer {
  return error instanceof ExceptionAnswer && error.exceptionCode === ACKNOWLEDGE;
}
