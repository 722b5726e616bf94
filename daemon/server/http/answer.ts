import type { ServerResponse } from 'node:http';

import { joinInSlices, mapInSlices, runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import { jsonPieces } from '../../base/text/json-pieces.ts';
import type { OpenEventFlow } from './stream/event-stream.ts';

/** Length of the pieces of a large text, in characters. */
export const PIECE_LENGTH = 0x1_0000;

/** The answer of an operation, which shows a value. */
export interface Answer<out Value = unknown> {
  readonly status: number;
  /** Only a type: what the JSON text holds. */
  readonly shows?: Value;
  /** A list becomes one field line for each element. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON text; absent: no body. */
  readonly json?: string | Buffer;
  /** CSV text instead of JSON. */
  readonly csv?: string | Buffer;
  /** A file for browsers instead of data; without bytes the client has it already. */
  readonly file?: { readonly type?: string; readonly bytes?: Buffer };
  /** The body in pieces of a media type, made as the client reads them; an error ends the connection. */
  readonly pieces?: { readonly type: string; readonly parts: AsyncIterable<string | Buffer> };
  /** The body is a stream of events; `json` is absent then. */
  readonly events?: OpenEventFlow;
}

/** Answers 200 with a value. */
export function ok<Value>(value: Value, headers: Answer['headers'] = {}): Answer<Value> {
  return { status: 200, headers, json: JSON.stringify(value) };
}

/** Answers 200 with a value that may be large: its text is made in slices, as the client reads it. */
export async function okInSlices<Value>(
  value: Value,
  clock: SliceClock,
  headers: Answer['headers'] = {},
): Promise<Answer<Value>> {
  const parts = joinInSlices(jsonPieces(value), PIECE_LENGTH, clock);
  const first = await parts.next();
  if (first.done === true) return { status: 200, headers, json: '' };
  const second = await parts.next();
  if (second.done === true) return { status: 200, headers, json: first.value };
  const resumed = resume([first.value, second.value], parts);
  return { status: 200, headers, pieces: { type: 'application/json', parts: resumed } };
}

/** Answers 200 with a long list, whose elements are mapped by `make`, in slices. */
export async function okForEach<Element, Value>(
  elements: Iterable<Element>,
  make: (element: Element) => Value,
  clock: SliceClock,
): Promise<Answer<readonly Value[]>> {
  return okInSlices(await runInSlices(mapInSlices(elements, make), clock), clock);
}

async function* resume(
  taken: readonly string[],
  rest: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield* taken;
  yield* rest;
}

/** Answers 204. */
export function noContent(headers: Answer['headers'] = {}): Answer<never> {
  return { status: 204, headers };
}

/** Answers 200 without a body, as Kura does. */
export function emptyOk(headers: Answer['headers'] = {}): Answer<never> {
  return { status: 200, headers: { 'Content-Length': '0', ...headers } };
}

/** Answers 200 with events. */
export function eventStream(events: OpenEventFlow): Answer<never> {
  // A proxy that buffers answers would never pass the events on.
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
  return { status: 200, headers, events };
}

/**
 * Sends an answer that is not a stream of events; a client that has gone is no error.
 *
 * @param fixed names and values, in turn, of the fields that every answer has
 */
export function sendAnswer(response: ServerResponse, answer: Answer, fixed: readonly string[] = []): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, file } = answer;
  // No cache may store data: values change, and everything else concerns credentials. Answers about tokens, also refusals,
  // have both fields (RFC 6749, 5.1 and 5.2). A file says itself how long it holds.
  const fields =
    file === undefined ? [...fixed, 'Cache-Control', 'no-store', 'Pragma', 'no-cache'] : [...fixed];
  addFields(fields, headers);
  const { pieces } = answer;
  if (pieces !== undefined) {
    fields.push('Content-Type', pieces.type);
    response.writeHead(status, fields);
    if (response.req.method === 'HEAD') response.end();
    else void sendPieces(response, pieces.parts);
    return;
  }
  const body = bodyOf(answer);
  if (body !== undefined) {
    fields.push('Content-Type', typeOf(answer), 'Content-Length', String(Buffer.byteLength(body)));
  }
  // All at once: setting them one by one checks and stores each separately.
  response.writeHead(status, fields);
  if (body === undefined || body.length <= SLICE_BYTES) response.end(body);
  else sendSlices(response, typeof body === 'string' ? Buffer.from(body) : body);
}

/** Returns the body of an answer that is not a stream of events. */
export function bodyOf({ json, csv, file }: Answer): string | Buffer | undefined {
  return json ?? csv ?? file?.bytes;
}

function typeOf({ csv, file }: Answer): string {
  if (file !== undefined) return file.type ?? 'application/octet-stream';
  // RFC 4180, 3: whether the first row is a header is for the type to say.
  return csv === undefined ? 'application/json' : 'text/csv; charset=utf-8; header=present';
}

// TLS encrypts what is written at once, and keeps the copy in memory until the client reads it.
const SLICE_BYTES = 256 * 1024;

function sendSlices(response: ServerResponse, bytes: Buffer, start = 0): void {
  for (let from = start; from < bytes.length; from += SLICE_BYTES) {
    if (response.write(bytes.subarray(from, from + SLICE_BYTES))) continue;
    response.once('drain', () => sendSlices(response, bytes, from + SLICE_BYTES));
    return;
  }
  response.end();
}

async function sendPieces(response: ServerResponse, parts: AsyncIterable<string | Buffer>): Promise<void> {
  try {
    for await (const part of parts) {
      if (part.length > 0 && !response.write(part)) await waitForRoom(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    // Without the end of the body, the client finds it incomplete (RFC 9112, 8).
    response.destroy();
  }
}

/** Resolves when the client has read, or is gone. */
function waitForRoom(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (response.destroyed) resolve();
  const done = (): void => {
    response.off('drain', done);
    response.off('close', done);
    resolve();
  };
  response.on('drain', done);
  response.on('close', done);
  return promise;
}

/** Appends the fields of an answer to a list of names and values in turn. */
export function addFields(fields: string[], headers: Answer['headers']): void {
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (typeof value === 'string') fields.push(name, value);
    else for (const line of value) fields.push(name, line);
  }
}
