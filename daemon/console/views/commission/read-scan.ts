import type { Rest } from '../../api/rest.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import { EventParser } from '../../live/event-parser.ts';

/** What a scan is doing. */
export interface ScanProgress {
  readonly done: number;
  readonly total?: number;
  readonly text: string;
}

/** One thing that a scan found. */
export interface ScanFind {
  readonly subject: string;
  readonly kind: string;
  readonly text: string;
}

/** What comes of a scan, as the configuration takes it. */
export interface ScanResult {
  readonly isComplete: boolean;
  readonly connection: {
    readonly pid?: string;
    readonly type: string;
    readonly settings?: Readonly<Record<string, unknown>>;
  };
  readonly assets: readonly (Readonly<Record<string, unknown>> & { readonly pid: string })[];
  readonly notes: readonly string[];
}

interface ScanListener {
  readonly onProgress: (progress: ScanProgress) => void;
  readonly onFind: (find: ScanFind) => void;
}

/**
 * Looks for devices behind settings that are not configured.
 *
 * @returns undefined when the gateway ended the scan without a result
 * @throws {RestFailure} when it is refused or fails
 */
export async function readScan(
  rest: Rest,
  wish: { readonly type: string; readonly settings: Readonly<Record<string, unknown>> },
  { signal, onProgress, onFind }: ScanListener & { readonly signal: AbortSignal },
): Promise<ScanResult | undefined> {
  const response = await fetch('/services/drivers/v1/_scan', {
    method: 'POST',
    headers: { ...(await rest.sessionFields()), 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...wish, options: {} }),
    credentials: 'same-origin',
    signal,
  });
  if (!response.ok || response.body === null) throw await RestFailure.read(response);
  const requestId = response.headers.get('x-request-id') ?? '';
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let result: ScanResult | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return result;
    for (const { type, data } of parser.push(value)) {
      const content: unknown = JSON.parse(data);
      if (type === 'progress') onProgress(content as ScanProgress);
      else if (type === 'found') onFind(content as ScanFind);
      else if (type === 'result') result = content as ScanResult;
      else if (type === 'failed') {
        throw new RestFailure({
          status: 200,
          requestId,
          message: (content as { readonly message: string }).message,
        });
      }
    }
  }
}
