import type { DocumentFault, FaultReason, GenericFailureReport } from '../../interface/failure.ts';

/** Failed REST request, with the gateway's error message. */
export class RestFailure extends Error {
  /** HTTP status; 0: no response. */
  readonly status: number;
  /** Request id in the gateway's log; empty without a response. */
  readonly requestId: string;
  /** Code of the error, if the gateway shows it. */
  readonly code: string | undefined;
  /** Sentences of the message by code; empty if one has none. */
  readonly reasons: readonly FaultReason[];
  /** Errors in a document, each with its path. */
  readonly faults: readonly DocumentFault[];
  /** True if the password is correct but the second-factor code is missing or wrong. */
  readonly isCodeNeeded: boolean;
  /** Seconds until a retry is allowed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(given: {
    readonly status: number;
    readonly message: string;
    readonly requestId?: string;
    readonly code?: string | undefined;
    readonly reasons?: readonly FaultReason[];
    readonly faults?: readonly DocumentFault[];
    readonly isCodeNeeded?: boolean;
    readonly retryAfterSeconds?: number | undefined;
    readonly cause?: unknown;
  }) {
    super(given.message, { cause: given.cause });
    this.name = 'RestFailure';
    this.status = given.status;
    this.requestId = given.requestId ?? '';
    this.code = given.code;
    this.reasons = given.reasons ?? [];
    this.faults = given.faults ?? [];
    this.isCodeNeeded = given.isCodeNeeded ?? false;
    this.retryAfterSeconds = given.retryAfterSeconds;
  }

  /** Reads an error response; a response of a proxy has only its status. */
  static async read(response: Response): Promise<RestFailure> {
    const text = await response.text().catch(() => '');
    const {
      message = '',
      reasons = [],
      faults = [],
      secondFactorNeeded: isCodeNeeded = false,
    } = readReport(text);
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new RestFailure({
      status: response.status,
      message: message === '' ? `${response.status} ${response.statusText}` : message,
      requestId: response.headers.get('x-request-id') ?? '',
      code: response.headers.get('penstock-error') ?? undefined,
      reasons,
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
