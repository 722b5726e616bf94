import type { DocumentFault } from './types.ts';

/** What the gateway refused or could not do, in its own words. */
export class RestFailure extends Error {
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Name under which the gateway logged the request; empty without an answer. */
  readonly requestId: string;
  /** What is wrong in a document, each with its place. */
  readonly faults: readonly DocumentFault[];
  /** Seconds after which it may be tried again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(given: {
    readonly status: number;
    readonly message: string;
    readonly requestId?: string;
    readonly faults?: readonly DocumentFault[];
    readonly retryAfterSeconds?: number | undefined;
    readonly cause?: unknown;
  }) {
    super(given.message, { cause: given.cause });
    this.name = 'RestFailure';
    this.status = given.status;
    this.requestId = given.requestId ?? '';
    this.faults = given.faults ?? [];
    this.retryAfterSeconds = given.retryAfterSeconds;
  }

  /** Reads a refusal of the gateway; an answer of something in between has its status alone. */
  static async read(response: Response): Promise<RestFailure> {
    const text = await response.text().catch(() => '');
    const { message = '', faults = [] } = readReport(text);
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new RestFailure({
      status: response.status,
      message: message === '' ? `${response.status} ${response.statusText}` : message,
      requestId: response.headers.get('x-request-id') ?? '',
      faults,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
  }
}

interface Report {
  readonly message?: string;
  readonly faults?: readonly DocumentFault[];
}

function readReport(text: string): Report {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
