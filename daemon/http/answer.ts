import type { ServerResponse } from 'node:http';

import type { OpenEventFlow } from './event-stream.ts';

/** What an operation answers. */
export interface Answer {
  readonly status: number;
  /** A list gives as many lines of the name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON text; absent: no body. */
  readonly json?: string | Buffer;
  /** CSV text in the place of JSON. */
  readonly csv?: string;
  /** The body goes on with events; `json` is absent then. */
  readonly events?: OpenEventFlow;
}

/** Answers 200 with a value. */
export function ok(value: unknown, headers: Answer['headers'] = {}): Answer {
  return { status: 200, headers, json: JSON.stringify(value) };
}

/** Answers 204. */
export function noContent(headers: Answer['headers'] = {}): Answer {
  return { status: 204, headers };
}

/** Answers 200 with events. */
export function eventStream(events: OpenEventFlow): Answer {
  // A proxy that collects bytes before it passes them on would keep them from the client for ever.
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
  return { status: 200, headers, events };
}

/**
 * Sends an answer other than a stream of events, or the head of one; a client that went away meanwhile is no error.
 *
 * @param fixed names and values, in turn, of the fields that every answer has
 */
export function sendAnswer(
  response: ServerResponse,
  { status, headers, json, csv }: Answer,
  fixed: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  // Nothing here may be kept by caches: values change, and everything else is about credentials.
  const fields = [...fixed, 'Cache-Control', 'no-store'];
  addFields(fields, headers);
  const body = json ?? csv;
  if (body !== undefined) {
    // RFC 4180, 3: whether the first row is a header is for the type to say.
    const type = csv === undefined ? 'application/json' : 'text/csv; charset=utf-8; header=present';
    fields.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)));
  }
  // In one go: fields that are set one by one are checked and stored one by one.
  response.writeHead(status, fields);
  if (body === undefined || body.length <= SLICE_BYTES) response.end(body);
  else sendSlices(response, Buffer.from(body as string));
}

// What is written is encrypted at once, and lies in memory a second time until the client takes it.
const SLICE_BYTES = 256 * 1024;

function sendSlices(response: ServerResponse, bytes: Buffer, start = 0): void {
  for (let from = start; from < bytes.length; from += SLICE_BYTES) {
    if (response.write(bytes.subarray(from, from + SLICE_BYTES))) continue;
    response.once('drain', () => sendSlices(response, bytes, from + SLICE_BYTES));
    return;
  }
  response.end();
}

/** Adds the fields of an answer, names and values in turn, to those that are there. */
export function addFields(fields: string[], headers: Answer['headers']): void {
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (typeof value === 'string') fields.push(name, value);
    else for (const line of value) fields.push(name, line);
  }
}
