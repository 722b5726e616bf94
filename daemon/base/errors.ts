import type { ErrorCode, ErrorCodeOf } from './error-codes.ts';

/** Why something was refused or failed, as far as the caller may know. */
export interface ErrorOptions<Code extends ErrorCode = ErrorCode> {
  /** Stable upper-case code of the cause; callers compare this, never the text. */
  readonly code: Code;
  /** One sentence for the client that names the thing; holds no secret, path or internal name. */
  readonly detail: string;
  /** The underlying error; for the log only. */
  readonly cause?: unknown;
}

/** Root of every error that the gateway raises on purpose; its subclasses stand for one reaction of the caller each. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  /** Text for the client. */
  readonly detail: string;

  constructor({ code, detail, cause }: ErrorOptions) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.detail = detail;
  }
}

/** An error that an answer shows with one status; its codes are those that a table declares with that status. */
class AnsweredError<Status extends number> extends GatewayError {
  override readonly code: ErrorCodeOf<Status>;

  constructor(options: ErrorOptions<ErrorCodeOf<Status>>) {
    super(options);
    this.code = options.code;
  }
}

/** The caller sent something that can never succeed; it has to change its request. */
export class InvalidRequest extends AnsweredError<400> {}

/** The request carries no credentials, or credentials that prove no identity. */
export class NotAuthenticated extends AnsweredError<401> {}

/** The caller is known and may not do this. */
export class NotPermitted extends AnsweredError<403> {}

/** The thing that the caller names does not exist, or is switched off. */
export class NotFound extends AnsweredError<404> {}

/** The thing exists, and the caller must not learn even that: it is refused in the words of `NotFound`. */
export class NotShown extends NotFound {}

/** The request contradicts the present state; the caller has to look at it first. */
export class Conflict extends AnsweredError<409> {}

/** A precondition of the request does not hold; the caller has to read the resource again (RFC 9110, 13.1.1). */
export class PreconditionFailed extends AnsweredError<412> {}

/** The content exceeds a limit of size. */
export class TooLarge extends AnsweredError<413> {}

/** The same request may succeed later; the caller should wait `retryAfterSeconds`. */
export class Unavailable<Status extends number = 503> extends AnsweredError<Status> {
  /** Whole seconds after which trying again makes sense. */
  readonly retryAfterSeconds: number;

  constructor(options: ErrorOptions<ErrorCodeOf<Status>> & { readonly retryAfterSeconds: number }) {
    super(options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The caller asks too often; it should wait `retryAfterSeconds`. */
export class TooManyRequests extends Unavailable<429> {}

/**
 * Returns the text of anything that was thrown, for a log line.
 *
 * @param thrown an Error, or whatever a library threw instead of one
 */
export function messageOf(thrown: unknown): string {
  // A connection to a name with several addresses fails once for each, and the whole has no message.
  if (thrown instanceof AggregateError && thrown.message === '') {
    return [...new Set(thrown.errors.map(messageOf))].join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
