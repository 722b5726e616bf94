import { createFault, createReason, sayReason } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { CHANNEL_FAULTS } from '../fault-sentences.ts';
import { z } from '../../base/schema.ts';
import type { Fault } from '../../base/schema.ts';
import { rangeOf } from '../raw-number.ts';
import type { RawNumber, RawNumberAt } from '../raw-number.ts';
import type { ChannelValue } from '../value-type.ts';

/** Name of the values that SunSpec defines for points that are not implemented. */
const SUNSPEC = 'SUNSPEC';

const MAXIMUM_ENTRIES = 32;
const NUMBER = String.raw`-?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?)`;
const SINGLE = new RegExp(`^${NUMBER}$`);
const RANGE = new RegExp(`^(${NUMBER}) ?- ?(${NUMBER})$`);
// Numbers of a JSON array, and the texts between them.
const ELEMENT = /"(?:[^"\\]|\\[^])*"|-?\d[\d.eE+-]*/g;
const WORDS: ReadonlySet<string> = new Set(['"NaN"', '"Infinity"', '"-Infinity"']);

/** Schema of the raw values that mean "not available". */
export const notAvailableSchema = z
  .array(
    z
      .union([z.number(), z.string().max(64)])
      .refine(
        (entry) => isEntry(entry),
        sayReason(createReason(CHANNEL_FAULTS, 'EXPECTED_NOT_AVAILABLE', {})),
      ),
  )
  .min(1)
  .max(MAXIMUM_ENTRIES)
  .describe('Raw values, before scale and offset, that mean "not available"');

/** Raw values that mean "not available", in the numbers of the data type. */
export interface UnavailableValues {
  readonly hasNaN: boolean;
  /** Both bounds are included. */
  readonly ranges: readonly (readonly [from: number | bigint, to: number | bigint])[];
  /** Elements of arrays are 32-bit floats. */
  readonly isSingle: boolean;
}

type Entry = number | string;
type Bounds = readonly [from: number | bigint, to: number | bigint];

/** Resolves entries in a data type; errors begin with `notAvailable`. */
export function resolveEntries(
  entries: readonly Entry[],
  number: RawNumberAt,
): { readonly unavailable: UnavailableValues; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const ranges: (readonly [number | bigint, number | bigint])[] = [];
  let hasNaN = false;
  const isSingle = typeof number === 'object' && number.kind === 'FLOAT' && number.bits === 32;
  if (number === 'NONE') {
    faults.push(createFault(['notAvailable'], refuse('RAW_VALUE_NOT_NUMERIC', {})));
    return { unavailable: { hasNaN, ranges, isSingle }, faults };
  }
  for (const [index, entry] of entries.entries()) {
    const resolved = resolveEntry(entry, number);
    if ('code' in resolved) faults.push(createFault(['notAvailable', index], resolved));
    else if (Number.isNaN(resolved[0])) hasNaN = true;
    else ranges.push(resolved);
  }
  return { unavailable: { hasNaN, ranges, isSingle }, faults };
}

/** True if a raw value means "not available". */
export function isUnavailable(raw: ChannelValue, { hasNaN, ranges }: UnavailableValues): boolean {
  if (typeof raw !== 'number' && typeof raw !== 'bigint') return false;
  if (Number.isNaN(raw)) return hasNaN;
  for (const [from, to] of ranges) if (raw >= from && raw <= to) return true;
  return false;
}

/**
 * Replaces the elements of a JSON array that mean "not available" with `null`.
 *
 * @returns undefined if no element is available; the same text if all are
 */
export function dropUnavailable(text: string, values: UnavailableValues): string | undefined {
  if (!text.startsWith('[')) return text;
  let isAnyLeft = false;
  let isAnyDropped = false;
  const result = text.replaceAll(ELEMENT, (token) => {
    const isDropped = isUnavailable(toElement(token, values), values);
    if (isDropped) isAnyDropped = true;
    else isAnyLeft = true;
    return isDropped ? 'null' : token;
  });
  return isAnyLeft || !isAnyDropped ? result : undefined;
}

/** Returns the value of a JSON token; a text stays a text. */
function toElement(token: string, { isSingle }: UnavailableValues): ChannelValue {
  if (WORDS.has(token)) return Number(token.slice(1, -1));
  if (token.startsWith('"')) return token;
  const number = Number(token);
  if (isSingle) return Math.fround(number);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^-?\d+$/.test(token)
    ? BigInt(token)
    : number;
}

function isEntry(entry: Entry): boolean {
  if (typeof entry === 'number') return Number.isFinite(entry);
  return entry === SUNSPEC || entry === 'NaN' || SINGLE.test(entry) || RANGE.test(entry);
}

/** Returns the bounds of an entry, NaN twice for NaN, or the reason that the data type does not have it. */
function resolveEntry(entry: Entry, number: RawNumber | undefined): Bounds | FaultReason {
  if (entry === SUNSPEC) return resolveSunSpec(number);
  if (entry === 'NaN') {
    if (number !== undefined && number.kind !== 'FLOAT') return refuse('NAN_OF_WHOLE_NUMBERS', {});
    return [Number.NaN, Number.NaN];
  }
  const [, first, last] = (typeof entry === 'string' && !SINGLE.test(entry) && RANGE.exec(entry)) || [];
  const from = resolveBound(first ?? entry, number);
  if (typeof from === 'object') return from;
  if (last === undefined) return unite(from, number);
  const to = resolveBound(last, number);
  if (typeof to === 'object') return to;
  if (Number.isNaN(from) || Number.isNaN(to)) return refuse('NAN_IN_RANGE', { range: entry });
  return from <= to ? [from, to] : refuse('RANGE_REVERSED', { from: String(from), to: String(to) });
}

// Without a data type, a decimal may be that of a 32-bit float.
function unite(value: number | bigint, number: RawNumber | undefined): Bounds {
  if (number !== undefined || typeof value === 'bigint') return [value, value];
  const single = Math.fround(value);
  return single < value ? [single, value] : [value, single];
}

/** See SunSpec Device Information Model Specification V1.1, 4.2: unimplemented points. */
function resolveSunSpec(number: RawNumber | undefined): Bounds | FaultReason {
  if (number?.kind === 'FLOAT') return [Number.NaN, Number.NaN];
  if (number === undefined) return refuse('SUNSPEC_WITHOUT_TYPE', {});
  const range = rangeOf(number);
  if (range === undefined || !('bits' in number)) return refuse('SUNSPEC_OF_DECIMALS', {});
  const { kind, bits } = number;
  if (![16, 32, 64].includes(bits)) return refuse('SUNSPEC_OF_BITS', { bits });
  const value = range[kind === 'SIGNED' ? 0 : 1];
  return [value, value];
}

function resolveBound(bound: Entry, number: RawNumber | undefined): number | bigint | FaultReason {
  const given = typeof bound === 'number' ? bound : parseNumber(bound);
  if (number?.kind === 'FLOAT') return toFloat(bound, given, number.bits);
  if (typeof bound === 'number' && Number.isInteger(bound) && !Number.isSafeInteger(bound)) {
    return refuse('RAW_NUMBER_INEXACT', { value: String(bound) });
  }
  if (number === undefined) return given;
  const whole = typeof given === 'bigint' || Number.isInteger(given) ? BigInt(given) : undefined;
  if (whole === undefined) return refuse('RAW_NUMBER_NOT_WHOLE', { value: bound });
  const range = rangeOf(number);
  if (range === undefined || !('bits' in number)) return whole;
  const [minimum, maximum] = range;
  if (whole >= minimum && whole <= maximum) return whole;
  // The bit pattern of a negative number, as manuals print it.
  const pattern = number.kind === 'SIGNED' ? whole - 2n * (maximum + 1n) : whole;
  if (whole > maximum && pattern >= minimum && pattern < 0n) return pattern;
  return refuse(number.kind === 'SIGNED' ? 'NO_SIGNED_NUMBER' : 'NO_UNSIGNED_NUMBER', {
    value: String(bound),
    bits: number.bits,
  });
}

function parseNumber(text: string): number | bigint {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  if (!/0x/i.test(text)) return Number(text);
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}

/** A text in hexadecimal digits is the bit pattern of a float. */
function toFloat(bound: Entry, given: number | bigint, bits: 32 | 64): number | FaultReason {
  if (typeof bound === 'string' && /^0x/i.test(bound) && typeof given === 'bigint') {
    if (given >= 2n ** BigInt(bits)) return refuse('BITS_TOO_MANY', { value: bound, bits });
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(given);
    return bits === 64 ? bytes.readDoubleBE(0) : bytes.readFloatBE(4);
  }
  const value = bits === 32 ? Math.fround(Number(given)) : Number(given);
  return Number.isFinite(value) ? value : refuse('NO_FLOAT', { value: String(bound), bits });
}

function refuse<Code extends keyof typeof CHANNEL_FAULTS>(
  code: Code,
  parameters: Parameters<typeof createReason<typeof CHANNEL_FAULTS, Code>>[2],
): FaultReason {
  return createReason(CHANNEL_FAULTS, code, parameters);
}
