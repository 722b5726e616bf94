import { GatewayError } from '../../../daemon/base/errors.ts';
import { createUnknownOutcome, toFailure } from '../../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import { WriteCancelled } from '../../../daemon/channel/cancelled-write.ts';
import { InvalidResponse, ACKNOWLEDGE, ExceptionResponse, GATEWAY_TARGET_FAILED } from '../modbus-errors.ts';
import type { UnitResponse, ExchangeOptions } from '../link/exchange.ts';

/** Failure code of a value that was sent without a conclusive response. */
export const OUTCOME_UNKNOWN_CODE = 'MODBUS_WRITE_OUTCOME_UNKNOWN';

/** Result of a write request. */
export type WriteResult =
  | {
      readonly kind: 'WRITTEN';
      readonly timestampMs: number;
      /** True for a broadcast, to which no unit responds. */
      readonly isUnconfirmed: boolean;
      /** Previous registers, if they had to be read. */
      readonly registersBefore?: Buffer | undefined;
    }
  | {
      /** The unit confirmed a different value. */
      readonly kind: 'CHANGED';
      readonly failure: ChannelFailure;
      /** REFUSED: the unit holds the word. UNKNOWN: the confirming frame may not belong to the request. */
      readonly outcome: 'REFUSED' | 'UNKNOWN';
      readonly word: number;
    }
  | { readonly kind: 'REFUSED'; readonly error: ExceptionResponse }
  | { readonly kind: 'NOT_SENT'; readonly error: unknown };

/** Sends a request and waits for its response. */
type Exchange = (options: ExchangeOptions) => Promise<UnitResponse>;

const ACCEPTED = 'the request was accepted, but its completion is not confirmed';

/**
 * Sends a write request once.
 *
 * @throws {WriteCancelled} if the write was cancelled
 * @throws {GatewayError} if it was sent without a conclusive response
 */
export async function attemptWrite(
  unitId: number,
  exchange: Exchange,
  { onSend, ...options }: ExchangeOptions,
): Promise<WriteResult> {
  let isSent = false;
  const recordSent = (): void => {
    isSent = true;
    onSend?.();
  };
  try {
    const { bytes, timestampMs, isUnconfirmed } = await exchange({ ...options, onSend: recordSent });
    if (bytes.length > 0) return toChanged(unitId, bytes.readUInt16BE());
    return { kind: 'WRITTEN', timestampMs, isUnconfirmed };
  } catch (error) {
    if (error instanceof WriteCancelled) throw error;
    if (isRefusal(error, isSent)) return { kind: 'REFUSED', error };
    if (!isSent) return { kind: 'NOT_SENT', error };
    if (isAccepted(error)) {
      throw new GatewayError({ code: error.code, detail: `${error.detail}: ${ACCEPTED}`, cause: error });
    }
    const word = error instanceof InvalidResponse ? error.otherWord : undefined;
    if (word === undefined) throw error;
    const failure = createUnknownOutcome(OUTCOME_UNKNOWN_CODE, toFailure(error, options.signal).message);
    return { kind: 'CHANGED', failure, outcome: 'UNKNOWN', word };
  }
}

function toChanged(unitId: number, word: number): WriteResult {
  const message = `unit ${unitId} confirmed a value other than the one sent`;
  const failure = { code: 'MODBUS_OTHER_VALUE_CONFIRMED', message } as const;
  return { kind: 'CHANGED', failure, outcome: 'REFUSED', word };
}

// After a gateway timeout the unit may have carried out the request; a unit that accepted it will.
function isRefusal(error: unknown, isSent: boolean): error is ExceptionResponse {
  if (!(error instanceof ExceptionResponse)) return false;
  return error.exceptionCode !== GATEWAY_TARGET_FAILED && !(isSent && isAccepted(error));
}

// The unit needs a long time and responds so that the client does not time out (V1.1b3, 7).
function isAccepted(error: unknown): error is ExceptionResponse {
  return error instanceof ExceptionResponse && error.exceptionCode === ACKNOWLEDGE;
}
