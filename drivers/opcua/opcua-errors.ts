import { GatewayError } from '../../daemon/base/errors.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

// StatusCodes by which a server reports that it carried out no part of the request: the request was invalid, channel or
// session are unknown, or the user is denied (OPC 10000-4, 7.38.2, and the services themselves).
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

/** The server did not respond in time; it may have carried out the request. */
export class NoResponse extends GatewayError {
  constructor(service: string, timeoutMs: number) {
    super({
      code: 'OPCUA_NO_RESPONSE',
      detail: `the server did not respond to ${service} within ${timeoutMs} ms`,
    });
  }
}

/** The server returned a bad StatusCode instead of a result; see `isNothingDone`. */
export class ServiceRefused extends GatewayError {
  /** StatusCode name, for example `BadTooManyOperations`. */
  readonly status: string;

  constructor(service: string, status: string) {
    super({ code: toErrorCode(status), detail: `the server refused ${service}: ${status}` });
    this.status = status;
  }
}

/** True if certainly no part of the request was carried out. */
export function isNothingDone(error: unknown): boolean {
  if (!(error instanceof ServiceRefused) && !(error instanceof LinkLost)) return false;
  return error.status !== undefined && meansNothingDone(error.status);
}

/** The response violates the standard; the server may have carried out the request. */
export class InvalidResponse extends GatewayError {
  constructor(fault: string) {
    super({ code: 'OPCUA_INVALID_RESPONSE', detail: `the server sent an invalid response: ${fault}` });
  }
}

/** Origin of a connection loss. */
export interface LossOrigin {
  readonly cause?: unknown;
  readonly status?: string | undefined;
  /** See `ConnectionError`. */
  readonly isCutOff?: boolean | undefined;
  readonly isClosedByServer?: boolean | undefined;
}

/** The server closed the connection without giving a reason. */
export class ClosedByServer extends Error {
  constructor(options?: ErrorOptions) {
    super('the server closed the connection', options);
  }
}

/** The connection or session was lost during a call; the server may have carried out the request. */
export class LinkLost extends ConnectionError {
  /** Reason without the server name. */
  readonly reason: string;
  /** StatusCode name of the response that ended the link, if any. */
  readonly status: string | undefined;
  /** True if the server closed it without giving a reason. */
  readonly isClosedByServer: boolean;

  constructor(
    endpointUrl: string,
    reason: string,
    { cause, status, isCutOff, isClosedByServer = false }: LossOrigin = {},
  ) {
    const detail = `the connection to ${endpointUrl} was lost: ${reason}`;
    super({ code: 'OPCUA_LINK_LOST', detail, cause, isCutOff });
    this.reason = reason;
    this.status = status;
    this.isClosedByServer = isClosedByServer;
  }
}

/** No session could be created. */
export class ConnectFailed extends ConnectionError {}

/** Returns the failure of a channel for a StatusCode name. */
export function toStatusFailure(status: string, message: string): ChannelFailure {
  return { code: toErrorCode(status), message, status };
}

/** Returns the error code for a StatusCode name: `BadNodeIdUnknown` is `OPCUA_BAD_NODE_ID_UNKNOWN`. */
function toErrorCode(status: string): `OPCUA_BAD_${string}` {
  const words = status.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
  return `OPCUA_${words.toUpperCase()}` as `OPCUA_BAD_${string}`;
}

/**
 * Extracts a StatusCode from an error text of the library, which for some refusals provides nothing else.
 *
 * @returns its name, for example `BadIdentityTokenRejected`; undefined if there is none
 */
export function findStatusInText(error: unknown): string | undefined {
  return error instanceof Error ? STATUS.exec(error.message)?.[0] : undefined;
}

/**
 * Describes a library error for clients. The library's own texts name its internals, settings that a driver does not
 * have, and sometimes whole requests; they are logged as the cause.
 *
 * @param service requested service, for example `CreateSession`
 */
export function describeLibraryFault(error: unknown, service: string): string {
  const text = error instanceof Error ? error.message : '';
  const status = findStatusInText(error);
  if (status !== undefined) return status;
  if (/timed out|time-?out/i.test(text)) return `the server did not respond to ${service}`;
  return `unusable response to ${service}`;
}

/**
 * True if a bad StatusCode means that no part of the request was carried out. After any other, such as `BadTimeout` or
 * `BadServerHalted`, the server may have done something.
 *
 * @param status StatusCode name
 */
export function meansNothingDone(status: string): boolean {
  return NOTHING_DONE.has(status);
}
