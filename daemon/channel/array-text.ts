import { isPlainText } from '../base/text/plain-text.ts';
import {
  formatByShape,
  formatFloat32,
  parseBase64,
  parseBoolean,
  parseDouble,
  parseInteger,
} from './value-syntax.ts';
import type { JsonScalar } from './value-syntax.ts';
import type { ChannelValue } from './value-type.ts';

interface ElementSyntax {
  /** Parses an element; undefined if it does not match the type. */
  readonly parse: (input: JsonScalar) => ChannelValue | undefined;
  readonly format: (element: ChannelValue) => string;
  /** Expected input, for messages. */
  readonly expected: string;
}

const SYNTAX = {
  BOOLEAN: { parse: parseBoolean, format: formatByShape, expected: 'true or false' },
  BYTES: { parse: parseBase64, format: formatByShape, expected: 'base64 in quotes' },
  FLOAT32: { parse: parseDouble, format: formatFloat32, expected: 'a number' },
  FLOAT64: { parse: parseDouble, format: formatByShape, expected: 'a number' },
  INTEGER: { parse: parseInteger, format: formatByShape, expected: 'a whole number' },
  STRING: { parse: parseText, format: formatByShape, expected: 'a text in quotes, without NUL' },
} as const satisfies Readonly<Record<string, ElementSyntax>>;

/** Element types of arrays. */
export type ElementKind = keyof typeof SYNTAX;

/** Reason that a text is not the expected array; an expected result, not an exception. */
export class ArrayTextFault {
  readonly code: 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: ArrayTextFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/**
 * Writes an array as JSON text without white space, which is the value of a STRING channel.
 *
 * Integers have every digit, FLOAT32 the shortest decimal that a 32-bit float reads back, bytes are base64 (RFC 4648, 4);
 * numbers that JSON does not have are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
 */
export function formatArray(kind: ElementKind, elements: readonly ChannelValue[]): string {
  return `[${elements.map(SYNTAX[kind].format).join(',')}]`;
}

// One JSON value without members (RFC 8259), and the white space around it.
const SCALAR =
  // oxlint-disable-next-line no-control-regex -- JSON does not have them in texts
  /[ \t\n\r]*(?:("[^"\\\x00-\x1f]*(?:\\[^][^"\\\x00-\x1f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false))[ \t\n\r]*/;
const EMPTY_ARRAY = /^\[[ \t\n\r]*\]$/;
const DIGITS = /^-?\d{1,400}$/;

/**
 * Reads an array from JSON text; numbers and booleans may be written as their text, as in `["1.5"]`.
 *
 * @param count exact number of elements; any number if absent
 * @returns the elements: bigint for INTEGER, number for FLOAT32 and FLOAT64, whose ranges are not checked. If the text is
 *   not such an array, the reason, which names the element by its index from 0.
 */
export function parseArray(
  kind: ElementKind,
  text: string,
  count?: number,
): readonly ChannelValue[] | ArrayTextFault {
  const scalars = readScalars(text.trim(), count ?? Infinity);
  if (scalars instanceof ArrayTextFault) return scalars;
  if (count !== undefined && scalars.length !== count) return wrongCount(count, scalars.length);
  const { parse, expected } = SYNTAX[kind];
  const elements: ChannelValue[] = [];
  for (const [index, scalar] of scalars.entries()) {
    const element = parse(scalar);
    if (element === undefined) return elementFault(index, `is not ${expected}`);
    elements.push(element);
  }
  return elements;
}

// Custom parser: keeps every digit, stops after the expected count and rejects nesting.
function readScalars(text: string, maximum: number): readonly JsonScalar[] | ArrayTextFault {
  if (EMPTY_ARRAY.test(text)) return [];
  if (!text.startsWith('[') || !text.endsWith(']')) {
    return new ArrayTextFault('VALUE_TYPE_MISMATCH', 'the text is no JSON array such as [1,2.5]');
  }
  const scanner = new RegExp(SCALAR, 'y');
  const scalars: JsonScalar[] = [];
  // The character before an element: the bracket or a comma.
  for (let before = 0; before < text.length - 1; before = scanner.lastIndex) {
    if (scalars.length === maximum) return wrongCount(maximum, 'more');
    if (before > 0 && text[before] !== ',') {
      return elementFault(scalars.length - 1, 'is followed by neither a comma nor the end');
    }
    scanner.lastIndex = before + 1;
    const scalar = toScalar(scanner.exec(text));
    if (scalar === undefined) return elementFault(scalars.length, 'is not a number, text, true or false');
    scalars.push(scalar);
  }
  return scalars;
}

function toScalar(found: RegExpExecArray | null): JsonScalar | undefined {
  const [, quoted, number, word] = found ?? [];
  if (quoted !== undefined) return parseQuoted(quoted);
  if (number !== undefined) {
    const rounded = Number(number);
    return DIGITS.test(number) && !Number.isSafeInteger(rounded) ? BigInt(number) : rounded;
  }
  return word === undefined ? undefined : word === 'true';
}

function parseQuoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function parseText(input: JsonScalar): string | undefined {
  return typeof input === 'string' && isPlainText(input) ? input : undefined;
}

function wrongCount(expected: number, given: number | string): ArrayTextFault {
  return new ArrayTextFault('VALUE_OUT_OF_RANGE', `expected ${expected} elements, not ${given}`);
}

function elementFault(index: number, reason: string): ArrayTextFault {
  return new ArrayTextFault('VALUE_TYPE_MISMATCH', `element [${index}] ${reason}`);
}
