import { GatewayError } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

/** The unit did not answer in time; the request may have been carried out. */
export class NoAnswer extends GatewayError {
  readonly #unitId: number;
  readonly #remark: string | undefined;

  /** @param remark describes what came instead of an answer */
  constructor(unitId: number, timeoutMs: number, remark?: string) {
    const silence = `unit ${unitId} did not answer within ${timeoutMs} ms`;
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
    super({ code: 'MODBUS_INVALID_RESPONSE', detail: `unit ${unitId} sent an invalid answer: ${fault}` });
    this.isShort = isShort;
    this.otherWord = otherWord;
  }
}

/** The unit identifier of all units of a serial line was given where an answer is wanted. */
export class BroadcastRead extends GatewayError {
  constructor() {
    super({
      code: 'MODBUS_BROADCAST_READ',
      detail: 'unit 0 is all units of a serial line; it can only be written',
    });
  }
}

/** The unit is not asked for now, because it did not answer before. */
export class UnitSuspended extends GatewayError {
  /** See `ChannelFailure.lasting`. */
  readonly lasting: string;

  constructor(detail: string, lasting: string) {
    super({ code: 'MODBUS_UNIT_SUSPENDED', detail });
    this.lasting = lasting;
  }
}

/** An address of a unit is not asked for now, because it alone did not answer before; nothing was sent. */
export class AddressSuspended extends GatewayError {
  /** See `ChannelFailure.lasting`. */
  readonly lasting: string;

  constructor(detail: string, lasting: string) {
    super({ code: 'MODBUS_ADDRESS_SUSPENDED', detail });
    this.lasting = lasting;
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
