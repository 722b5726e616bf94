import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../../../base/errors.ts';
import type { Slices } from '../../../base/slices.ts';
import { JsonNumber } from '../../../base/text/json-number.ts';
import { HttpRefusal } from '../problem.ts';
import { findRefusedEscapes, isFound, joinText } from './body-text.ts';
import { parseByElements, scanJson } from './scan-json.ts';

export const MAXIMUM_DEPTH = 32;
// The largest plant, 100 000 channels, has 1.4 million; parsed, each may take twenty times its text.
export const MAXIMUM_VALUES = 2_000_000;
// No endpoint accepts objects with freely named members; each new name slows parsing down.
export const MAXIMUM_NAMES = 20_000;
// A few milliseconds.
const PARSED_AT_ONCE = 0x8_0000;
const LONG_NUMBER = /\d{16}/;
const LONG_NUMBER_DIGITS = 16;

/**
 * Receives a body, in pieces: to join those of a large one would make others wait.
 *
 * @param onReceived called with the length so far, before more is kept; an error that it throws refuses the body
 * @throws {HttpRefusal} 413 as soon as the announced or received length passes the limit
 * @throws {InvalidRequest} `BODY_INCOMPLETE` when the client goes away in between
 */
export function receiveBody(
  request: IncomingMessage,
  maximumBytes: number,
  onReceived: (bytes: number) => void = () => undefined,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): HttpRefusal =>
      new HttpRefusal({
        status: 413,
        code: 'BODY_TOO_LARGE',
        detail: `the body is larger than ${maximumBytes} bytes`,
        // The rest is not read, so the connection cannot be reused.
        headers: { Connection: 'close' },
      });
    if (Number(request.headers['content-length'] ?? 0) > maximumBytes) {
      reject(tooLarge());
      return;
    }
    const onCut = (cause?: Error): void =>
      reject(new InvalidRequest({ code: 'BODY_INCOMPLETE', detail: 'the body ended early', cause }));
    // A client that left during the earlier checks causes no further event.
    if (request.destroyed) {
      onCut();
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maximumBytes) throw tooLarge();
        onReceived(length);
        chunks.push(chunk);
      } catch (refusal) {
        chunks.length = 0;
        request.pause();
        reject(refusal);
      }
    });
    request.once('end', () => resolve(chunks));
    request.once('error', onCut);
    request.once('close', onCut);
  });
}

/** Allowed content of a body, and its conversion. */
export interface JsonOptions {
  /** Accepts texts with NUL, which are rejected otherwise. */
  readonly mayHoldNul?: boolean | undefined;
  /** Converts each number to a {JsonNumber}. */
  readonly keepsNumbers?: boolean | undefined;
}

/**
 * Parses JSON without losing digits: an integer that a double cannot hold becomes a bigint. The elements of the lists of a large
 * text are parsed one by one.
 *
 * @throws {InvalidRequest} `BODY_NOT_UTF8`, `JSON_TEXT_REFUSED`, `JSON_MALFORMED`, `JSON_TOO_DEEP` or `JSON_TOO_LARGE`
 */
export function* parseJson(
  pieces: readonly Buffer[],
  { mayHoldNul = false, keepsNumbers = false }: JsonOptions = {},
): Slices<unknown> {
  const text = yield* joinText(pieces);
  yield* refuseEscapes(text, mayHoldNul);
  const bounds = { maximumDepth: MAXIMUM_DEPTH, maximumNames: MAXIMUM_NAMES };
  const { depth, values, names, lists } = yield* scanJson(text, bounds);
  if (depth > MAXIMUM_DEPTH) {
    const detail = `the body nests deeper than ${MAXIMUM_DEPTH} levels`;
    throw new InvalidRequest({ code: 'JSON_TOO_DEEP', detail });
  }
  if (values > MAXIMUM_VALUES) {
    const detail = `the body has more than ${MAXIMUM_VALUES} values`;
    throw new InvalidRequest({ code: 'JSON_TOO_LARGE', detail });
  }
  if (names > MAXIMUM_NAMES) {
    const detail = `the body has more than ${MAXIMUM_NAMES} different member names`;
    throw new InvalidRequest({ code: 'JSON_TOO_LARGE', detail });
  }
  // Only a number of 16 digits or more can be one that a double does not hold.
  const keepsDigits = yield* isFound(text, LONG_NUMBER, LONG_NUMBER_DIGITS);
  try {
    const parse = createParser(keepsNumbers ? keepNumber : keepsDigits ? keepDigits : undefined);
    const isLarge = text.length > PARSED_AT_ONCE;
    return isLarge && lists !== undefined
      ? yield* parseByElements(text, lists, parse)
      : parse(text.toString());
  } catch (cause) {
    throw new InvalidRequest({ code: 'JSON_MALFORMED', detail: 'the body is not valid JSON', cause });
  }
}

/** Removes the members that are null from a parsed body, whose depth is bounded. */
export function dropNullMembers(body: unknown): void {
  if (Array.isArray(body)) {
    for (const element of body) dropNullMembers(element);
  } else if (typeof body === 'object' && body !== null) {
    for (const [name, member] of Object.entries(body)) {
      if (member === null) Reflect.deleteProperty(body, name);
      else dropNullMembers(member);
    }
  }
}

function* refuseEscapes(text: Buffer, mayHoldNul: boolean): Slices<void> {
  const found = yield* findRefusedEscapes(text);
  if (!found.has('SURROGATE') && (mayHoldNul || !found.has('NUL'))) return;
  const what = found.has('SURROGATE') ? 'half of a surrogate pair' : 'NUL';
  throw new InvalidRequest({ code: 'JSON_TEXT_REFUSED', detail: `a string in the body contains ${what}` });
}

// The third argument of a reviver gives the digits as they were sent (ECMAScript proposal "JSON.parse source text
// access", in V8 since 11.4), which TypeScript does not know yet.
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepNumber: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? new JsonNumber(source) : value;

const keepDigits: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? new JsonNumber(source).toNumber() : value;

function createParser(reviver: SourceReviver | undefined): (text: string) => unknown {
  return (part) => JSON.parse(part, reviver as (key: string, value: unknown) => unknown) as unknown;
}
