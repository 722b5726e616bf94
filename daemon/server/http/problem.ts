import {
  Conflict,
  GatewayError,
  InvalidRequest,
  NotAuthenticated,
  NotFound,
  NotPermitted,
  PreconditionFailed,
  TooLarge,
  TooManyRequests,
  Unavailable,
} from '../../base/errors.ts';
import type { ErrorOptions } from '../../base/errors.ts';
import type { ErrorCode, ErrorCodeOf, ErrorStatus } from '../../base/error-codes.ts';
import type { Logger } from '../../base/logger.ts';
import { SecondFactorRefused } from '../../security/identity/second-factor/second-factor-refused.ts';
import { formatPath } from '../../base/schema.ts';
import { showCodes } from '../../base/fault-reason.ts';
import { DocumentError } from '../../base/document-error.ts';
import type { DocumentFault } from '../../base/document-error.ts';
import type { CodedFault, DocumentFault as ShownFault } from '../../interface/failure.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';
import { hasPreference } from './preference.ts';
import { ERROR_HEADER, findShownCode } from './shown-code.ts';

/** A status with one of its declared codes; 502 allows any code of a driver. */
type RefusalOptions<Status> = Status extends ErrorStatus
  ? ErrorOptions<Status extends 502 ? ErrorCode : ErrorCodeOf<Status>> & {
      readonly status: Status;
      readonly headers?: Readonly<Record<string, string>>;
    }
  : never;

/** A refusal that exists in HTTP only. */
export class HttpRefusal extends GatewayError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: RefusalOptions<ErrorStatus>) {
    super(options);
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

// The only mapping of errors to status codes; subclasses come before their parents.
const STATUS_OF_CLASS = [
  [InvalidRequest, 400],
  [NotAuthenticated, 401],
  [NotPermitted, 403],
  [NotFound, 404],
  [PreconditionFailed, 412],
  [TooLarge, 413],
  [Conflict, 409],
  [TooManyRequests, 429],
  [Unavailable, 503],
] as const;

/** Token of the field Prefer by which a client gets the sentences of a message as codes. */
const PREFERENCE = 'error-reasons';

interface ProblemOptions {
  readonly logger: Logger;
  /** Challenges for a 401, in the order in which they should be tried (RFC 9110, 11.6.1). */
  readonly challenges: (context: RequestContext) => readonly string[];
}

/**
 * Returns what an error shows to the client: a GenericFailureReport, for documents with a list of their errors, and the code in a
 * header, if clients may see it. A client that prefers them also gets the sentences of the message as codes.
 *
 * An unexpected error is logged under the id of the request and answered with 500 and that id.
 */
export function toProblemAnswer(error: unknown, context: RequestContext, options: ProblemOptions): Answer {
  const status = statusOf(error);
  if (status === undefined || !(error instanceof GatewayError)) {
    options.logger.error('request.failed', { requestId: context.requestId, error });
    return report(500, `internal error; search the log for request ${context.requestId}`);
  }
  const code = findShownCode(error, status);
  const headers = {
    ...headersOf(status, error, context, options),
    ...(code === undefined ? {} : { [ERROR_HEADER]: code }),
  };
  if (error instanceof SecondFactorRefused) return reportSecondFactor(status, error, headers);
  return error instanceof DocumentError
    ? reportFaults(status, error, headers)
    : reportReasons(status, error, { context, headers });
}

/** Returns a GenericFailureReport. */
export function report(status: number, message: string, headers: Answer['headers'] = {}): Answer {
  return { status, headers, json: JSON.stringify({ message }) };
}

/** Strict clients do not send the preference: they expect the message alone. */
function reportReasons(
  status: number,
  { detail, reasons }: GatewayError,
  { context, headers }: { readonly context: RequestContext; readonly headers: Answer['headers'] },
): Answer {
  if (!hasPreference(context.request, PREFERENCE)) return report(status, detail, headers);
  return { status, headers: headers ?? {}, json: JSON.stringify(showReasons({ message: detail, reasons })) };
}

/** Returns a GenericFailureReport that makes the client prompt for a code. */
function reportSecondFactor(
  status: number,
  { detail }: SecondFactorRefused,
  headers: Answer['headers'],
): Answer {
  return {
    status,
    headers: headers ?? {},
    json: JSON.stringify({ message: detail, secondFactorNeeded: true }),
  };
}

// A document can have an error in every line; the client gets the next ones after correcting these.
const MAXIMUM_FAULTS = 500;

/** Returns a GenericFailureReport with the position of each error. */
function reportFaults(status: number, { detail, faults }: DocumentError, headers: Answer['headers']): Answer {
  const shown = faults.slice(0, MAXIMUM_FAULTS).map(showFault);
  return { status, headers: headers ?? {}, json: JSON.stringify({ message: detail, faults: shown }) };
}

/** Returns an error in a document as the interface has it. */
function showFault({ path, item, message, reasons, row, column }: DocumentFault): ShownFault {
  return {
    path: formatPath(path),
    ...(item === undefined ? {} : { item }),
    ...(row === undefined ? {} : { row }),
    ...(column === undefined ? {} : { column }),
    ...showReasons({ message, reasons }),
  };
}

/** Returns the message of an error with the codes of its sentences, as the interface has them. */
export function showReasons({ message, reasons }: Pick<DocumentFault, 'message' | 'reasons'>): CodedFault {
  return {
    message,
    ...(reasons === undefined ? {} : { reasons: showCodes(reasons) }),
  };
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpRefusal) return error.status;
  return STATUS_OF_CLASS.find(([type]) => error instanceof type)?.[1];
}

function headersOf(
  status: number,
  error: GatewayError,
  context: RequestContext,
  options: ProblemOptions,
): NonNullable<Answer['headers']> {
  if (error instanceof HttpRefusal) return { ...error.headers };
  if (error instanceof Unavailable) return { 'Retry-After': String(error.retryAfterSeconds) };
  // A browser that gets a challenge from a login endpoint would open its own dialog over the login page.
  if (status !== 401 || context.endpoint?.isLogin === true) return {};
  const challenges = options.challenges(context);
  // One field line each: browsers read a list in one line as parameters of the first (RFC 9110, 11.6.1).
  return challenges.length === 0 ? {} : { 'WWW-Authenticate': challenges };
}
