import { GatewayError } from '../../daemon/base/errors.ts';
import { createReason, explain, ExplainedError, quoteError } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { OPCUA_FAILURES } from './failure-sentences.ts';

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
      ...explain(createReason(OPCUA_FAILURES, 'SERVER_SILENT', { service, timeoutMs })),
    });
  }
}

/** The server returned a bad StatusCode instead of a result; see `isNothingDone`. */
export class ServiceRefused extends GatewayError {
  /** StatusCode name, for example `BadTooManyOperations`. */
  readonly status: string;

  constructor(service: string, status: string) {
    const refused = createReason(OPCUA_FAILURES, 'SERVER_REFUSED', { service });
    super({ code: toErrorCode(status), ...explain(refused, explainStatus(status)) });
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
    const reason = createReason(OPCUA_FAILURES, 'SERVER_RESPONSE_INVALID', { fault });
    super({ code: 'OPCUA_INVALID_RESPONSE', ...explain(reason) });
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
export class ClosedByServer extends ExplainedError {
  constructor(options?: ErrorOptions) {
    super([createReason(OPCUA_FAILURES, 'SERVER_CLOSED_CONNECTION', {})], options);
  }
}

/** The connection or session was lost during a call; the server may have carried out the request. */
export class LinkLost extends ConnectionError {
  /** Reason without the server name. */
  readonly causes: readonly FaultReason[];
  /** StatusCode name of the response that ended the link, if any. */
  readonly status: string | undefined;
  /** True if the server closed it without giving a reason. */
  readonly isClosedByServer: boolean;

  constructor(
    endpointUrl: string,
    causes: readonly FaultReason[],
    { cause, status, isCutOff, isClosedByServer = false }: LossOrigin = {},
  ) {
    const lost = createReason(OPCUA_FAILURES, 'SERVER_CONNECTION_LOST', { url: endpointUrl });
    super({ code: 'OPCUA_LINK_LOST', ...explain(lost, ...causes), cause, isCutOff });
    this.causes = causes;
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
  return explainLibraryFault(error, service).message;
}

/** Returns what `describeLibraryFault` says as a sentence with its code. */
export function explainLibraryFault(error: unknown, service: string): FaultReason {
  const text = error instanceof Error ? error.message : '';
  const status = findStatusInText(error);
  if (status !== undefined) return explainStatus(status);
  const isTimeout = /timed out|time-?out/i.test(text);
  const code = isTimeout ? 'SERVER_SILENT_TO' : 'SERVER_RESPONSE_UNUSABLE';
  return createReason(OPCUA_FAILURES, code, { service });
}

/** Returns the sentence for a StatusCode name. */
export function explainStatus(status: string): FaultReason {
  return quoteError({ code: status, message: status });
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
