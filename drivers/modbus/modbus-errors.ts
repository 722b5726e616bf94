import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { GatewayError } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

// MODBUS Application Protocol V1.1b3, 7; 07 is named in earlier editions and still answered by devices.
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
export const GATEWAY_TARGET_SILENT = 0x0b;
const GATEWAY_PATH_UNAVAILABLE = 0x0a;

/** With these a gateway reports that it got no answer of the unit: they come from the gateway, and not from the unit. */
export const GATEWAY_REPORTS: ReadonlySet<number> = new Set([
  GATEWAY_PATH_UNAVAILABLE,
  GATEWAY_TARGET_SILENT,
]);

/** With these devices refuse a read of entries that they do not have, and one that is longer than they take. */
export const REFUSALS: ReadonlySet<number> = new Set([
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
  SERVER_DEVICE_FAILURE,
]);

/** The unit did not answer in time; the request may have been carried out. */
export class NoAnswer extends GatewayError {
  readonly #unitId: number;
  readonly #remark: string | undefined;

  /** @param remark describes what came instead of an answer */
  constructor(unitId: number, timeoutMs: number, remark?: string) {
    const silence = `unit ${unitId} did not respond within ${timeoutMs} ms`;
    super({ code: 'MODBUS_NO_RESPONSE', detail: remark === undefined ? silence : `${silence}: ${remark}` });
    this.#unitId = unitId;
    this.#remark = remark;
  }

  /** Returns the same error with another time-out in its text: a probe waits shorter than the requests of clients. */
  within(timeoutMs: number): NoAnswer {
    return new NoAnswer(this.#unitId, timeoutMs, this.#remark);
  }
}

/** The answer does not match its request; the request may have been carried out. */
export class InvalidAnswer extends GatewayError {
  /** The answer to a read is in order except that it brings fewer values than were asked for. */
  readonly isShort: boolean;
  /** See `findOtherWord`. */
  readonly otherWord: number | undefined;

  constructor(unitId: number, fault: string, isShort = false, otherWord?: number) {
    super({ code: 'MODBUS_INVALID_RESPONSE', detail: `unit ${unitId} sent an invalid response: ${fault}` });
    this.isShort = isShort;
    this.otherWord = otherWord;
  }
}

/** The unit identifier of all units of a serial line was given where an answer is wanted. */
export class BroadcastRead extends GatewayError {
  constructor() {
    super({
      code: 'MODBUS_BROADCAST_READ',
      detail: 'unit 0 is the broadcast address of a serial line; it can only be written',
    });
  }
}

/** The unit is not asked for now, because it did not answer before. */
export class UnitSuspended extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string;

  constructor(detail: string, stableMessage: string) {
    super({ code: 'MODBUS_UNIT_SUSPENDED', detail });
    this.stableMessage = stableMessage;
  }
}

/** An address of a unit is not asked for now, because it alone did not answer before; nothing was sent. */
export class AddressSuspended extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string;

  constructor(detail: string, stableMessage: string) {
    super({ code: 'MODBUS_ADDRESS_SUSPENDED', detail });
    this.stableMessage = stableMessage;
  }
}

export interface LossDetails {
  readonly endpoint: string;
  readonly reason: string;
  readonly cause?: unknown;
  /** The link had brought answers before: it may have been closed before the request reached the far end. */
  readonly hadAnswers: boolean;
}

/** Returns the error that there is no link to the far end; nothing was sent. */
export function notConnected(endpoint: string, cause?: unknown): ConnectionError {
  return new ConnectionError({ code: 'NOT_CONNECTED', detail: `not connected to ${endpoint}`, cause });
}

/** Returns an error by which a link could not be opened. */
export function toConnectionError(error: unknown, endpoint: string): ConnectionError {
  return error instanceof ConnectionError ? error : notConnected(endpoint, error);
}

/** The link went down under a request that was sent; the request may have been carried out. */
export class LinkLost extends ConnectionError {
  /** See `LossDetails`. */
  readonly hadAnswers: boolean;

  constructor({ endpoint, reason, cause, hadAnswers }: LossDetails) {
    super({
      code: 'MODBUS_LINK_LOST',
      detail: `the connection to ${endpoint} was lost: ${reason}`,
      cause,
    });
    this.hadAnswers = hadAnswers;
  }
}

/** Names an exception code as people look it up: `02 ILLEGAL DATA ADDRESS`. */
function nameException(exceptionCode: number): string {
  const digits = exceptionCode.toString(16).toUpperCase().padStart(2, '0');
  const code = CODES[exceptionCode];
  return code === undefined ? digits : `${digits} ${code.slice('MODBUS_'.length).replaceAll('_', ' ')}`;
}

/** The unit refused the request; the connection is in order. */
export class ExceptionAnswer extends GatewayError {
  /** 0..255, as received. */
  readonly exceptionCode: number;
  /** See `ChannelFailure.status`. */
  readonly status: string;

  constructor(unitId: number, exceptionCode: number) {
    super({
      code: CODES[exceptionCode] ?? 'MODBUS_EXCEPTION',
      detail: `unit ${unitId} returned exception ${nameException(exceptionCode)}`,
    });
    this.exceptionCode = exceptionCode;
    this.status = `MODBUS_EXCEPTION_${exceptionCode}`;
  }
}
