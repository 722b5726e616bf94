import type { ErrorCode } from '../base/error-codes.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { WriteOutcome } from './driver.ts';

/** How one attempt to send a step is made. */
export interface Attempt {
  /** Ends the wait for the device. */
  readonly signal: AbortSignal;
  /**
   * To be called in the turn of the write, right before it leaves, and again before another form of it leaves; never once the
   * device may have done something.
   *
   * @throws {WriteWithdrawn} when a value of the step is no longer to be sent
   */
  readonly checkTurn: () => void;
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
      readonly anew?: readonly WriteStep[] | undefined;
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
