import type { ServerResponse } from 'node:http';

/** What an operation answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text; absent: no body. */
  readonly json?: string | Buffer;
}

/** Answers 200 with a value. */
export function ok(value: unknown, headers: Answer['headers'] = {}): Answer {
  return { status: 200, headers, json: JSON.stringify(value) };
}

/** Answers 204. */
export function noContent(headers: Answer['headers'] = {}): Answer {
  return { status: 204, headers };
}

/** Sends an answer; a client that went away meanwhile is no error. */
export function sendAnswer(response: ServerResponse, { status, headers, json }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  // Nothing here may be kept by caches: values change, and everything else is about credentials.
  response.setHeader('Cache-Control', 'no-store');
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  if (json === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(json));
  response.end(json);
}
