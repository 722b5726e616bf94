import type { ErrorCode } from '../base/error-codes.ts';
import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { ChannelValue } from './value-type.ts';
import type { FailedWriteOutcome } from './write-outcome.ts';

/** One raw value on its way to a device. A fractional number for an integer register is rounded to the nearest. */
export interface WriteRequest<Address = unknown> {
  readonly channel: Channel<Address>;
  readonly value: ChannelValue;
}

/** The result of one write: confirmed by the device at that time, or not. */
export type WriteOutcome =
  | {
      readonly failure?: undefined;
      readonly timestampMs: number;
      /** Sent where the protocol has no confirmation; absent: the device confirmed the write. */
      readonly isUnconfirmed?: boolean | undefined;
      /** Raw value read right before the write; absent: not read. */
      readonly before?: ChannelValue | undefined;
      /** What the device returned for the value, in the value type of the channel; absent: only a confirmation. */
      readonly returned?: ChannelValue | undefined;
      /** True if the value is one field, and the write replaced its whole structure. */
      readonly isWholeStructure?: boolean | undefined;
    }
  | {
      readonly failure: ChannelFailure;
      readonly outcome: FailedWriteOutcome;
      readonly timestampMs: number;
      readonly isUnconfirmed?: undefined;
      /**
       * The device accepted a different value than the one sent, or, if the outcome is unknown, seems to; with the raw
       * value if reported. Absent: it accepted none.
       */
      readonly taken?: { readonly value?: ChannelValue | undefined } | undefined;
    };

/** An encoded value before it is sent. */
export interface PreparedValue {
  /** Position among the requests. */
  readonly index: number;
  /**
   * Raw value that a read returns after the write: rounded to the register, in the shape of a reading.
   * Absent: unknown.
   */
  readonly sent?: ChannelValue | undefined;
  /** True if the device stores it as one or several 32-bit floats. */
  readonly isSingle: boolean;
  /** Reason that it cannot be sent now, for example a suspended unit; undefined: it can. */
  readonly notSent?: ChannelFailure | undefined;
}

/** A value that the device cannot represent. */
export interface RefusedValue {
  /** Position among the requests. */
  readonly index: number;
  readonly failure: ChannelFailure;
}

/** Writes that can be sent; each request is either refused or has a value. */
export interface PreparedWrites {
  readonly refused: readonly RefusedValue[];
  readonly values: readonly PreparedValue[];
  /** In the order of the requests; each value is in one. They stay usable across reconnects. */
  readonly steps: readonly WriteStep[];
}

/** Parameters of one attempt to send a step. */
export interface Attempt {
  /** Ends the wait for the device. */
  readonly signal: AbortSignal;
  /**
   * Called while the write holds the connection, right before it is sent, and again before another form of it is sent; never once the
   * device may have done something.
   *
   * @throws {WriteCancelled} when a value of the step was cancelled
   */
  readonly throwIfCancelled: () => void;
  /** Called when it is sent: from then on the outcome is unknown without a response. */
  readonly onSend: () => void;
}

/** Result of one attempt to send a step, as the device reports it. */
export type AttemptResult =
  | {
      readonly kind: 'ANSWERED';
      /** One for each value of the step, in their order. */
      readonly outcomes: readonly WriteOutcome[];
      /** Steps that retry some of the values; their outcomes are valid until then. */
      readonly retries?: readonly WriteStep[] | undefined;
    }
  | {
      /** No effect: the device rejected it, or the driver sent nothing. */
      readonly kind: 'NOTHING_DONE';
      readonly failure: ChannelFailure;
      readonly outcome: 'REFUSED' | 'NOT_SENT';
      /** Groups of values, by position in the step, that can be sent separately; absent: the outcome applies to each. */
      readonly parts?: readonly (readonly number[])[] | undefined;
      /** Milliseconds until a retry of the same step; absent: no retry. */
      readonly againMs?: number | undefined;
    }
  | {
      /** The device applied part of the values and ignored the rest. */
      readonly kind: 'PARTLY_DONE';
      readonly failure: ChannelFailure;
      /** Step for the rest, to send after that many milliseconds; absent: do not retry. */
      readonly rest?: { readonly step: WriteStep; readonly afterMs: number } | undefined;
    }
  | {
      /** Nothing was sent: the link changed since the step was prepared and needs the values encoded differently. */
      readonly kind: 'PREPARED_AGAIN';
      /** Values that it cannot accept, by position among the requests. */
      readonly refused: readonly RefusedValue[];
      readonly steps: readonly WriteStep[];
    }
  /** Nothing was sent: no link. */
  | { readonly kind: 'LOST'; readonly error: unknown };

/** Values that a driver sends together. */
export interface WriteStep {
  /** Positions of the values among the requests that were prepared. */
  readonly indices: readonly number[];
  /** Failure code if the outcome of the step is unknown. */
  readonly unknownCode: ErrorCode;
  /**
   * Makes one attempt. It repeats nothing that the device may have carried out.
   *
   * @throws {GatewayError} without a response: nothing was sent before the call of `onSend`; after it, the outcome is unknown
   */
  send(attempt: Attempt): Promise<AttemptResult>;
  /** Returns steps for some of the values, by position in the step. */
  only(positions: readonly number[]): readonly WriteStep[];
}

/** Returns the steps for some of the values, by position among the requests. */
export function selectSteps(steps: readonly WriteStep[], indices: readonly number[]): readonly WriteStep[] {
  const wanted = new Set(indices);
  return steps.flatMap((step) => {
    const positions = step.indices.flatMap((index, position) => (wanted.has(index) ? position : []));
    if (positions.length === step.indices.length) return step;
    return positions.length === 0 ? [] : step.only(positions);
  });
}
