import { GatewayError } from '../../daemon/base/errors.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

// With these a server reports that it checked the request and carried out none of it: it could not read it, knows nothing
// of the channel or the session, or denies it to the user (OPC 10000-4, 7.38.2, and the services themselves).
const NOTHING_DONE: ReadonlySet<string> = new Set([
  'BadDecodingError',
  'BadIdentityTokenInvalid',
  'BadIdentityTokenRejected',
  'BadInvalidTimestamp',
  'BadLicenseExpired',
  'BadLicenseLimitsExceeded',
  'BadLicenseNotAvailable',
  'BadNothingToDo',
  'BadRequestHeaderInvalid',
  'BadRequestTooLarge',
  'BadRequestTypeInvalid',
  'BadSecureChannelIdInvalid',
  'BadSecureChannelTokenUnknown',
  'BadSecurityChecksFailed',
  'BadSecurityModeInsufficient',
  'BadServiceUnsupported',
  'BadSessionIdInvalid',
  'BadSessionNotActivated',
  'BadSubscriptionIdInvalid',
  'BadTcpMessageTooLarge',
  'BadTcpServerTooBusy',
  'BadTooManyOperations',
  'BadTooManyPublishRequests',
  'BadTooManySubscriptions',
  'BadUserAccessDenied',
]);

const STATUS = /\bBad[A-Z][A-Za-z]+\b/;

/** The server did not answer in time; the request may have been carried out. */
export class NoAnswer extends GatewayError {
  constructor(service: string, timeoutMs: number) {
    super({
      code: 'OPCUA_NO_RESPONSE',
      detail: `the server did not respond to ${service} within ${timeoutMs} ms`,
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
    super({ code: 'OPCUA_INVALID_RESPONSE', detail: `the server sent an invalid response: ${fault}` });
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
function toErrorCode(status: string): `OPCUA_BAD_${string}` {
  const words = status.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
  return `OPCUA_${words.toUpperCase()}` as `OPCUA_BAD_${string}`;
}

/**
 * Finds the StatusCode of a server in the text of an error of the library, which passes on nothing else of some refusals.
 *
 * @returns its name, as `BadIdentityTokenRejected`; undefined when there is none
 */
export function findStatusInText(error: unknown): string | undefined {
  return error instanceof Error ? STATUS.exec(error.message)?.[0] : undefined;
}

/**
 * Describes an error of the library for clients: its own texts name parts of the library, settings that a driver does not
 * have, and at times whole requests. The log has them as the cause.
 *
 * @param service what was asked for, as `CreateSession`
 */
export function describeLibraryFault(error: unknown, service: string): string {
  const text = error instanceof Error ? error.message : '';
  const status = findStatusInText(error);
  if (status !== undefined) return status;
  if (/timed out|time-?out/i.test(text)) return `the server did not respond to ${service}`;
  return `unusable response to ${service}`;
}

/**
 * Whether a server that answers a request with a bad StatusCode has certainly carried out nothing of it. With any other,
 * like `BadTimeout` or `BadServerHalted`, something may have been done before the server gave up.
 *
 * @param status name of the StatusCode
 */
export function meansNothingDone(status: string): boolean {
  return NOTHING_DONE.has(status);
}
