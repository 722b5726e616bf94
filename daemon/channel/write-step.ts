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
      /** Raw value that the write itself read right before; absent: it did not read. */
      readonly before?: ChannelValue | undefined;
    }
  | {
      readonly failure: ChannelFailure;
      readonly outcome: FailedWriteOutcome;
      readonly timestampMs: number;
      readonly isUnconfirmed?: undefined;
      /**
       * The device took another value than the one that was sent, or, where the outcome is not known, seems to; with the raw
       * value where it told that. Absent: it took none.
       */
      readonly taken?: { readonly value?: ChannelValue | undefined } | undefined;
    };

/** What a driver makes of a value, before it is sent. */
export interface PreparedValue {
  /** Position among the requests. */
  readonly index: number;
  /**
   * Raw value that a read shows once the device holds what is sent: rounded to its register, in the shape of a reading.
   * Absent: the driver does not know.
   */
  readonly sent?: ChannelValue | undefined;
  /** Whether the device holds it as a 32-bit float, or as several of them. */
  readonly isSingle: boolean;
  /** Why it would not be sent at present, for example because its unit is suspended; undefined: it would. */
  readonly notSent?: ChannelFailure | undefined;
}

/** A value that the device cannot hold. */
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

/** How one attempt to send a step is made. */
export interface Attempt {
  /** Ends the wait for the device. */
  readonly signal: AbortSignal;
  /**
   * To be called in the turn of the write, right before it leaves, and again before another form of it leaves; never once the
   * device may have done something.
   *
   * @throws {WriteCancelled} when a value of the step is no longer to be sent
   */
  readonly throwIfCancelled: () => void;
  /** To be called when it leaves: from then on nobody knows without an answer whether it is carried out. */
  readonly onSend: () => void;
}

/** What one attempt to send a step came to, by the word of the device. */
export type AttemptResult =
  | {
      readonly kind: 'ANSWERED';
      /** One for each value of the step, in their order. */
      readonly outcomes: readonly WriteOutcome[];
      /** Steps that are sent instead for some of the values, whose outcomes hold until then. */
      readonly retries?: readonly WriteStep[] | undefined;
    }
  | {
      /** The device, or the driver before it sent anything, did nothing. */
      readonly kind: 'NOTHING_DONE';
      readonly failure: ChannelFailure;
      readonly outcome: 'REFUSED' | 'NOT_SENT';
      /** Positions in the step of values that may go without the others; absent: the outcome is that of each. */
      readonly parts?: readonly (readonly number[])[] | undefined;
      /** Milliseconds after which the same may be tried again; absent: it is not. */
      readonly againMs?: number | undefined;
    }
  | {
      /** The device took a part of the values, and did nothing with the rest. */
      readonly kind: 'PARTLY_DONE';
      readonly failure: ChannelFailure;
      /** Sends the rest, which may be tried after that many milliseconds; absent: it may not. */
      readonly rest?: { readonly step: WriteStep; readonly afterMs: number } | undefined;
    }
  | {
      /** Nothing was sent: the link is another one than the step was prepared for, and takes the same values otherwise. */
      readonly kind: 'PREPARED_AGAIN';
      /** Values that it cannot take, by their positions among the requests. */
      readonly refused: readonly RefusedValue[];
      readonly steps: readonly WriteStep[];
    }
  /** Nothing left, because there is no link. */
  | { readonly kind: 'LOST'; readonly error: unknown };

/** Values that a driver sends together, and how. */
export interface WriteStep {
  /** Positions of the values among the requests that were prepared. */
  readonly indices: readonly number[];
  /** Code of the failure when the outcome of the step is not known. */
  readonly unknownCode: ErrorCode;
  /**
   * Makes one attempt. Nothing is sent twice in it that the device may have carried out.
   *
   * @throws {GatewayError} when there is no answer: before `onSend` was called, nothing was sent; after it, anything may be
   */
  send(attempt: Attempt): Promise<AttemptResult>;
  /** Returns the steps for some of the values, by their positions in the step. */
  only(positions: readonly number[]): readonly WriteStep[];
}

/** Returns the steps that send some of the values, by their positions among the requests. */
export function selectSteps(steps: readonly WriteStep[], indices: readonly number[]): readonly WriteStep[] {
  const wanted = new Set(indices);
  return steps.flatMap((step) => {
    const positions = step.indices.flatMap((index, position) => (wanted.has(index) ? position : []));
    if (positions.length === step.indices.length) return step;
    return positions.length === 0 ? [] : step.only(positions);
  });
}
