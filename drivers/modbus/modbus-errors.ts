import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { GatewayError } from '../../daemon/base/errors.ts';
import { createReason, describeReasons, explain } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { MODBUS_FAILURES } from './failure-sentences.ts';

// MODBUS Application Protocol V1.1b3, 7. Earlier editions define 07, and devices still return it.
const CODES: Readonly<Record<number, ErrorCode>> = {
  0x01: 'MODBUS_ILLEGAL_FUNCTION',
  0x02: 'MODBUS_ILLEGAL_DATA_ADDRESS',
  0x03: 'MODBUS_ILLEGAL_DATA_VALUE',
  0x04: 'MODBUS_SERVER_DEVICE_FAILURE',
  0x05: 'MODBUS_ACKNOWLEDGE',
  0x06: 'MODBUS_SERVER_DEVICE_BUSY',
  0x07: 'MODBUS_NEGATIVE_ACKNOWLEDGE',
  0x08: 'MODBUS_MEMORY_PARITY_ERROR',
  0x0a: 'MODBUS_GATEWAY_PATH_UNAVAILABLE',
  0x0b: 'MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND',
};

export const ILLEGAL_FUNCTION = 0x01;
export const ILLEGAL_DATA_ADDRESS = 0x02;
export const ILLEGAL_DATA_VALUE = 0x03;
const SERVER_DEVICE_FAILURE = 0x04;
export const ACKNOWLEDGE = 0x05;
export const SERVER_DEVICE_BUSY = 0x06;
export const GATEWAY_TARGET_FAILED = 0x0b;
const GATEWAY_PATH_UNAVAILABLE = 0x0a;

/**
 * Exceptions by which a gateway reports that it received no response from the unit. They come from the gateway, not
 * from the unit.
 */
export const GATEWAY_REPORTS: ReadonlySet<number> = new Set([
  GATEWAY_PATH_UNAVAILABLE,
  GATEWAY_TARGET_FAILED,
]);

/** Exceptions by which devices refuse a read of addresses that they do not have, or a read that is too long. */
export const REFUSALS: ReadonlySet<number> = new Set([
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
  SERVER_DEVICE_FAILURE,
]);

/** The unit did not respond in time; it may have carried out the request. */
export class NoResponse extends GatewayError {
  readonly #unitId: number;
  readonly #remark: readonly FaultReason[];

  /** @param remark describes what was received instead of a response */
  constructor(unitId: number, timeoutMs: number, remark: readonly FaultReason[] = []) {
    const code = remark.length === 0 ? 'UNIT_SILENT' : 'UNIT_SILENT_BUT';
    const silence = createReason(MODBUS_FAILURES, code, { unit: unitId, timeoutMs });
    super({ code: 'MODBUS_NO_RESPONSE', ...explain(silence, ...remark) });
    this.#unitId = unitId;
    this.#remark = remark;
  }

  /** Returns the same error with another timeout in its text: a probe has a shorter timeout than a client request. */
  within(timeoutMs: number): NoResponse {
    return new NoResponse(this.#unitId, timeoutMs, this.#remark);
  }
}

/** The response does not match its request; the unit may have carried out the request. */
export class InvalidResponse extends GatewayError {
  /** True if the response to a read is valid but contains fewer values than requested. */
  readonly isShort: boolean;
  /** See `findOtherWord`. */
  readonly otherWord: number | undefined;

  constructor(unitId: number, faults: readonly FaultReason[], isShort = false, otherWord?: number) {
    const place = createReason(MODBUS_FAILURES, 'UNIT_RESPONSE_INVALID', { unit: unitId });
    super({ code: 'MODBUS_INVALID_RESPONSE', ...explain(place, ...faults) });
    this.isShort = isShort;
    this.otherWord = otherWord;
  }
}

/** A request to the broadcast address that needs a response. */
export class BroadcastRead extends GatewayError {
  constructor() {
    super({
      code: 'MODBUS_BROADCAST_READ',
      ...explain(createReason(MODBUS_FAILURES, 'UNIT_IS_BROADCAST', {})),
    });
  }
}

/** The unit is not polled at the moment because it did not respond earlier. */
export class UnitSuspended extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string;

  constructor(reasons: readonly FaultReason[], stableMessage: string) {
    super({ code: 'MODBUS_UNIT_SUSPENDED', ...explain(...reasons) });
    this.stableMessage = stableMessage;
  }
}

/** Suspension of an address; times in milliseconds since the epoch. */
interface Suspension {
  readonly entries: string;
  readonly sinceMs: number;
  readonly nextMs: number;
  readonly reasons: readonly FaultReason[];
}

/** An address is not polled at the moment because only requests for it got no response; nothing was sent. */
export class AddressSuspended extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string;

  constructor(unit: number, { entries, sinceMs, nextMs, reasons }: Suspension) {
    const [since = '', time = ''] = [sinceMs, nextMs].map((each) => new Date(each).toISOString());
    const suspended = createReason(MODBUS_FAILURES, 'UNIT_ADDRESS_SUSPENDED_SINCE', { unit, entries, since });
    const attempt = createReason(MODBUS_FAILURES, 'UNIT_NEXT_ATTEMPT', { time });
    super({ code: 'MODBUS_ADDRESS_SUSPENDED', ...explain(suspended, ...reasons, attempt) });
    this.stableMessage = `unit ${unit} ${entries}: ${describeReasons(reasons)}`;
  }
}

export interface LossDetails {
  readonly endpoint: string;
  readonly reasons: readonly FaultReason[];
  readonly cause?: unknown;
  /** True if the link carried responses before: it may have been closed before the request reached the far end. */
  readonly hadResponses: boolean;
}

/** Creates the error for a missing link; nothing was sent. */
export function notConnected(endpoint: string, cause?: unknown): ConnectionError {
  const reason = createReason(MODBUS_FAILURES, 'MODBUS_NOT_CONNECTED', { endpoint });
  return new ConnectionError({ code: 'NOT_CONNECTED', ...explain(reason), cause });
}

/** Converts the error of a failed attempt to open a link. */
export function toConnectionError(error: unknown, endpoint: string): ConnectionError {
  return error instanceof ConnectionError ? error : notConnected(endpoint, error);
}

/** The link was lost after a request was sent; the unit may have carried out the request. */
export class LinkLost extends ConnectionError {
  /** See `LossDetails`. */
  readonly hadResponses: boolean;

  constructor({ endpoint, reasons, cause, hadResponses }: LossDetails) {
    const loss = createReason(MODBUS_FAILURES, 'MODBUS_CONNECTION_LOST', { endpoint });
    super({ code: 'MODBUS_LINK_LOST', ...explain(loss, ...reasons), cause });
    this.hadResponses = hadResponses;
  }
}

/** Describes an exception: `unit 7 returned exception 02 ILLEGAL DATA ADDRESS`. */
function explainException(unit: number, exceptionCode: number): FaultReason {
  const sentence = `UNIT_EXCEPTION_${exceptionCode}`;
  if (isSentence(sentence)) return createReason(MODBUS_FAILURES, sentence, { unit });
  const exception = exceptionCode.toString(16).toUpperCase().padStart(2, '0');
  return createReason(MODBUS_FAILURES, 'UNIT_EXCEPTION', { unit, exception });
}

function isSentence(text: string): text is `UNIT_EXCEPTION_${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 10 | 11}` {
  return Object.hasOwn(MODBUS_FAILURES, text);
}

/** The unit refused the request; the connection is intact. */
export class ExceptionResponse extends GatewayError {
  /** 0..255, as received. */
  readonly exceptionCode: number;
  /** See `ChannelFailure.status`. */
  readonly status: string;

  constructor(unitId: number, exceptionCode: number) {
    super({
      code: CODES[exceptionCode] ?? 'MODBUS_EXCEPTION',
      ...explain(explainException(unitId, exceptionCode)),
    });
    this.exceptionCode = exceptionCode;
    this.status = `MODBUS_EXCEPTION_${exceptionCode}`;
  }
}
