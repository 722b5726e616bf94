import { GatewayError } from '../../daemon/base/errors.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { meansNothingDone } from './service-result.ts';

/** The server did not answer in time; the request may have been carried out. */
export class NoAnswer extends GatewayError {
  constructor(service: string, timeoutMs: number) {
    super({
      code: 'OPCUA_NO_RESPONSE',
      detail: `the server did not answer ${service} within ${timeoutMs} ms`,
    });
  }
}

/** The server answered with a bad StatusCode instead of a result; see `isNothingDone`. */
export class ServiceRefused extends GatewayError {
  /** Name of the StatusCode, for example `BadTooManyOperations`. */
  readonly status: string;

  constructor(service: string, status: string) {
    super({ code: toErrorCode(status), detail: `the server refused ${service}: ${status}` });
    this.status = status;
  }
}

/** Whether certainly no part of the request was carried out. */
export function isNothingDone(error: unknown): boolean {
  if (!(error instanceof ServiceRefused) && !(error instanceof LinkLost)) return false;
  return error.status !== undefined && meansNothingDone(error.status);
}

/** The answer does not have the form of the standard; the request may have been carried out. */
export class InvalidAnswer extends GatewayError {
  constructor(fault: string) {
    super({ code: 'OPCUA_INVALID_RESPONSE', detail: `the server sent an invalid answer: ${fault}` });
  }
}

/** The origin of a loss. */
export interface LossOrigin {
  readonly cause?: unknown;
  readonly status?: string | undefined;
  /** See `ConnectionError`. */
  readonly isCutOff?: boolean | undefined;
}

/** The connection or the session was lost during a call; the request may have been carried out. */
export class LinkLost extends ConnectionError {
  /** The reason, without the name of the server. */
  readonly reason: string;
  /** Name of the StatusCode with which the server answered the call and ended the link, where it did. */
  readonly status: string | undefined;

  constructor(endpointUrl: string, reason: string, { cause, status, isCutOff }: LossOrigin = {}) {
    const detail = `the connection to ${endpointUrl} was lost: ${reason}`;
    super({ code: 'OPCUA_LINK_LOST', detail, cause, isCutOff });
    this.reason = reason;
    this.status = status;
  }
}

/** No session could be created. */
export class ConnectFailed extends ConnectionError {}

/** Returns the failure of a channel that the server answers with a StatusCode, given by its name. */
export function toStatusFailure(status: string, message: string): ChannelFailure {
  return { code: toErrorCode(status), message, status };
}

/** Returns the code of a failure for the name of a StatusCode: `BadNodeIdUnknown` is `OPCUA_BAD_NODE_ID_UNKNOWN`. */
function toErrorCode(status: string): string {
  const words = status.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
  return `OPCUA_${words.toUpperCase()}`;
}
