import type { ErrorCode, ErrorCodeOf } from './error-codes.ts';
import { ExplainedError, quoteError, quoteText } from './fault-reason.ts';
import type { FaultReason } from './fault-reason.ts';

/** Reason for a refusal or failure, as shown to the caller. */
export interface ErrorOptions<Code extends ErrorCode = ErrorCode> {
  /** Stable upper-case code of the cause; callers compare this, never the text. */
  readonly code: Code;
  /** One sentence for the client that names the object; without secrets, paths and internal names. */
  readonly detail: string;
  /** The sentences of the detail with their codes; absent if one of them has none. */
  readonly reasons?: readonly FaultReason[] | undefined;
  /** The underlying error; for the log only. */
  readonly cause?: unknown;
}

/** Base class of expected errors. Each subclass requires one kind of handling. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  /** Text for the client. */
  readonly detail: string;
  /** The sentences of the text with their codes, for clients with words of their own. */
  readonly reasons: readonly FaultReason[] | undefined;

  constructor({ code, detail, reasons, cause }: ErrorOptions) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.detail = detail;
    this.reasons = reasons;
  }
}

/** An error with one response status; its codes are those that a table declares with that status. */
class AnsweredError<Status extends number> extends GatewayError {
  override readonly code: ErrorCodeOf<Status>;

  constructor(options: ErrorOptions<ErrorCodeOf<Status>>) {
    super(options);
    this.code = options.code;
  }
}

/** The request can never succeed; the caller must change it. */
export class InvalidRequest extends AnsweredError<400> {}

/** The request has no credentials, or invalid ones. */
export class NotAuthenticated extends AnsweredError<401> {}

/** The caller is authenticated but not authorized. */
export class NotPermitted extends AnsweredError<403> {}

/** The resource does not exist or is disabled. */
export class NotFound extends AnsweredError<404> {}

/** The resource exists but must stay hidden from the caller; the response equals that of `NotFound`. */
export class NotShown extends NotFound {}

/** The request conflicts with the current state; the caller must check that first. */
export class Conflict extends AnsweredError<409> {}

/** A precondition of the request is false; the caller must read the resource again (RFC 9110, 13.1.1). */
export class PreconditionFailed extends AnsweredError<412> {}

/** The content exceeds a size limit. */
export class TooLarge extends AnsweredError<413> {}

/** The same request may succeed later; the caller should wait `retryAfterSeconds`. */
export class Unavailable<Status extends number = 503> extends AnsweredError<Status> {
  /** Whole seconds before a retry. */
  readonly retryAfterSeconds: number;

  constructor(options: ErrorOptions<ErrorCodeOf<Status>> & { readonly retryAfterSeconds: number }) {
    super(options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Too many requests; the caller should wait `retryAfterSeconds`. */
export class TooManyRequests extends Unavailable<429> {}

/**
 * Returns the text of anything that was thrown, for a log line.
 *
 * @param thrown an Error, or any value that a library threw instead
 */
export function messageOf(thrown: unknown): string {
  // A connection to a name with several addresses fails once for each, and the aggregate has no message.
  if (thrown instanceof AggregateError && thrown.message === '') {
    return [...new Set(thrown.errors.map(messageOf))].join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the code of an error that the gateway raises on purpose; undefined for anything else. */
export function codeOf(thrown: unknown): ErrorCode | undefined {
  return thrown instanceof GatewayError ? thrown.code : undefined;
}

/** Returns the sentences of the message of an error with their codes; undefined if one has none. */
export function reasonsOf(thrown: unknown): readonly FaultReason[] | undefined {
  return thrown instanceof GatewayError || thrown instanceof ExplainedError ? thrown.reasons : undefined;
}

/** Returns the sentences of the message of an error; one without codes is quoted. */
export function toReasons(thrown: unknown): readonly FaultReason[] {
  const code = codeOf(thrown);
  const message = messageOf(thrown);
  return reasonsOf(thrown) ?? [code === undefined ? quoteText(message) : quoteError({ code, message })];
}
