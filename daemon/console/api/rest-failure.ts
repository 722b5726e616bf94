import type { DocumentFault, GenericFailureReport } from '../../interface/failure.ts';

/** What the gateway refused or could not do, in its own words. */
export class RestFailure extends Error {
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Name under which the gateway logged the request; empty without an answer. */
  readonly requestId: string;
  /** What is wrong in a document, each with its place. */
  readonly faults: readonly DocumentFault[];
  /** Whether the password was right, and a code of the second factor is missing or wrong. */
  readonly isCodeNeeded: boolean;
  /** Seconds after which it may be tried again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(given: {
    readonly status: number;
    readonly message: string;
    readonly requestId?: string;
    readonly faults?: readonly DocumentFault[];
    readonly isCodeNeeded?: boolean;
    readonly retryAfterSeconds?: number | undefined;
    readonly cause?: unknown;
  }) {
    super(given.message, { cause: given.cause });
    this.name = 'RestFailure';
    this.status = given.status;
    this.requestId = given.requestId ?? '';
    this.faults = given.faults ?? [];
    this.isCodeNeeded = given.isCodeNeeded ?? false;
    this.retryAfterSeconds = given.retryAfterSeconds;
  }

  /** Reads a refusal of the gateway; an answer of something in between has its status alone. */
  static async read(response: Response): Promise<RestFailure> {
    const text = await response.text().catch(() => '');
    const { message = '', faults = [], secondFactorNeeded: isCodeNeeded = false } = readReport(text);
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new RestFailure({
      status: response.status,
      message: message === '' ? `${response.status} ${response.statusText}` : message,
      requestId: response.headers.get('x-request-id') ?? '',
      faults,
      isCodeNeeded,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
  }
}

function readReport(text: string): Partial<GenericFailureReport> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
