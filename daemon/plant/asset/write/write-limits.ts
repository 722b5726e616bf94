import type { FaultReason } from '../../../base/fault-reason.ts';
import { createReason } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import type { ErrorCode } from '../../../base/error-codes.ts';
import { ArrayTextFault, parseArray } from '../../../channel/array-text.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { WriteTerms } from '../../../channel/write-terms.ts';
import { DOUBLE_PRECISION } from '../value-precision.ts';
import type { Precision } from '../value-precision.ts';

/** A number of any size. */
type Numeric = number | bigint;

// Arrays of numbers in an array; the texts are those of numbers that JSON does not have.
const MATRIX = /^[ \t\n\r]*\[[ \t\n\r]*\[(?:"-?[A-Za-z]+"|[^"])*$/;
const TOKEN = /[[\],]|[^[\], \t\n\r]+/g;
// An integer of 64 bits as text.
const DECIMAL = /^-?\d{1,20}$/;
const BRACKETS = /[[\]]/g;
const NO_BRACKETS = /[^[\],]/g;

/** The last write of a channel, for its rate limit. */
export interface EarlierWrite {
  /** In the unit of the channel; undefined if no longer known. */
  readonly value: ChannelValue | undefined;
  /** Milliseconds since then, as far as proven. */
  readonly elapsedMs: number;
}

/**
 * Returns the failure of a value below the minimum or above the maximum; every element of an array counts. A limit
 * itself is never beyond, although the precision of the channel may not hold its decimal.
 *
 * @param value in the unit of the channel, as sent; with any limit, a value that is not finite is refused
 */
export function findLimitFailure(
  terms: WriteTerms,
  value: ChannelValue,
  precision: Precision = DOUBLE_PRECISION,
): ChannelFailure | undefined {
  const { minimum, maximum, maximumStep, maximumChangePerSecond } = terms;
  if ([minimum, maximum, maximumStep, maximumChangePerSecond].every((limit) => limit === undefined)) {
    return undefined;
  }
  const numbers = toNumbers(value);
  if (numbers === undefined) return exceeded(createReason(PLANT_FAILURES, 'VALUE_HAS_NO_NUMBERS', {}));
  for (const [index, number] of numbers.entries()) {
    const where = (): readonly FaultReason[] => explainElement(value, numbers, index);
    if (typeof number === 'number' && !Number.isFinite(number)) {
      const values = { value: String(number) };
      return exceeded(...where(), createReason(PLANT_FAILURES, 'VALUE_NOT_FINITE', values));
    }
    if (minimum !== undefined && isBelow(number, minimum, precision)) {
      const values = { value: show(number, precision), minimum };
      return exceeded(...where(), createReason(PLANT_FAILURES, 'VALUE_BELOW_MINIMUM', values));
    }
    if (maximum !== undefined && isAbove(number, maximum, precision)) {
      const values = { value: show(number, precision), maximum };
      return exceeded(...where(), createReason(PLANT_FAILURES, 'VALUE_ABOVE_MAXIMUM', values));
    }
  }
  return undefined;
}

/** Returns the failure of a value too far from the current one. */
export function findStepFailure(
  { maximumStep }: WriteTerms,
  value: ChannelValue,
  current: ChannelValue,
  precision: Precision = DOUBLE_PRECISION,
): ChannelFailure | undefined {
  if (maximumStep === undefined) return undefined;
  const change = findExcess(maximumStep, value, current, precision);
  if (change === undefined) return incomparable('WRITE_STEP_EXCEEDED');
  if (change === 0) return undefined;
  const values = { change: String(change), maximum: maximumStep };
  return createFailure('WRITE_STEP_EXCEEDED', createReason(PLANT_FAILURES, 'STEP_TOO_LARGE', values));
}

/**
 * Returns the failure of a value that changes too fast: its distance from the current value, and from the one that
 * was written last, is limited by the time since that write.
 *
 * @param earlier the last write; the first one is not rate-limited
 */
export function findRateFailure(
  { maximumChangePerSecond: rate }: WriteTerms,
  value: ChannelValue,
  { current, earlier }: { readonly current: ChannelValue; readonly earlier: EarlierWrite | undefined },
  precision: Precision = DOUBLE_PRECISION,
): ChannelFailure | undefined {
  if (rate === undefined || earlier === undefined) return undefined;
  const allowed = (rate * earlier.elapsedMs) / 1000;
  for (const reference of [current, earlier.value]) {
    if (reference === undefined) continue;
    const change = findExcess(allowed, value, reference, precision);
    if (change === undefined) return incomparable('WRITE_RATE_EXCEEDED');
    if (change === 0) continue;
    const waitMs = Math.ceil((Number(change) / rate) * 1000 - earlier.elapsedMs);
    const values = { change: String(change), rate, waitMs };
    const reason = createReason(PLANT_FAILURES, 'CHANGE_TOO_FAST', values);
    const stableMessage = `a change of ${change} is too fast`;
    return { ...createFailure('WRITE_RATE_EXCEEDED', reason), stableMessage };
  }
  return undefined;
}

/**
 * True if two values are equal within a tolerance; arrays element by element.
 *
 * Two doubles are equal if they differ by rounding only: inverse scaling followed by scaling may leave such a difference.
 */
export function isWithin(
  tolerance: number,
  one: ChannelValue,
  other: ChannelValue,
  precision: Precision = DOUBLE_PRECISION,
): boolean {
  if (Object.is(one, other) || one === other) return true;
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.from(one).equals(other);
  const change = findExcess(tolerance, one, other, precision);
  return change === 0;
}

function isBelow(number: Numeric, limit: number, precision: Precision): boolean {
  if (number >= limit || typeof number === 'bigint') return number < limit;
  const own = precision.roundLimit(limit);
  return number < own - precision.slackOf(number, own);
}

function isAbove(number: Numeric, limit: number, precision: Precision): boolean {
  if (number <= limit || typeof number === 'bigint') return number > limit;
  const own = precision.roundLimit(limit);
  return number > own + precision.slackOf(number, own);
}

/**
 * Returns the largest change between two values, or their elements, that exceeds the limit; 0 if none does.
 *
 * @returns undefined when they cannot be compared
 */
function findExcess(
  allowed: number,
  value: ChannelValue,
  reference: ChannelValue,
  precision: Precision,
): Numeric | undefined {
  const numbers = toNumbers(value);
  const references = toNumbers(reference);
  if (numbers === undefined || references?.length !== numbers.length) return undefined;
  if (!hasSameRows(value, reference)) return undefined;
  let largest: Numeric = 0;
  for (const [index, number] of numbers.entries()) {
    const other = references[index] ?? Number.NaN;
    if (Object.is(number, other)) continue;
    const { change, slack } = compare(number, other, precision);
    if (Number.isNaN(Number(change))) return undefined;
    if (change > allowed + slack && change > largest) largest = change;
  }
  return largest;
}

function compare(
  one: Numeric,
  other: Numeric,
  precision: Precision,
): { readonly change: Numeric; readonly slack: number } {
  if (typeof one === 'bigint' && typeof other === 'bigint') {
    return { change: one > other ? one - other : other - one, slack: 0 };
  }
  const toDecimal = (each: Numeric): number =>
    typeof each === 'bigint' ? Number(each) : precision.toDecimal(each);
  const [first, second] = [toDecimal(one), toDecimal(other)];
  const isMixed = typeof one !== typeof other;
  return { change: Math.abs(first - second), slack: isMixed ? 0 : precision.slackOf(first, second) };
}

/** Returns a number, or the numbers of an array or matrix in a text; undefined without any. */
function toNumbers(value: ChannelValue): readonly Numeric[] | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return [value];
  if (typeof value !== 'string') return undefined;
  if (DECIMAL.test(value)) return [BigInt(value)];
  const text = MATRIX.test(value) ? `[${value.replaceAll(BRACKETS, '')}]` : value;
  // As integers first: they have every digit.
  for (const kind of ['INTEGER', 'FLOAT64'] as const) {
    const elements = parseArray(kind, text);
    if (elements instanceof ArrayTextFault) continue;
    return elements.filter((element) => typeof element === 'number' || typeof element === 'bigint');
  }
  return undefined;
}

/** True unless both values are texts of arrays with different rows. */
function hasSameRows(one: ChannelValue, other: ChannelValue): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  const [rows, otherRows] = [one, other].map((text) => text.replaceAll(NO_BRACKETS, ''));
  return rows === otherRows;
}

function show(number: Numeric, precision: Precision): string {
  return String(typeof number === 'bigint' ? number : precision.toDecimal(number));
}

function explainElement(
  value: ChannelValue,
  numbers: readonly Numeric[],
  index: number,
): readonly FaultReason[] {
  const isMatrix = typeof value === 'string' && MATRIX.test(value);
  if (!isMatrix && numbers.length === 1) return [];
  const element = isMatrix ? findPosition(value, index) : `[${index}]`;
  return [createReason(PLANT_FAILURES, 'VALUE_ELEMENT', { element })];
}

/** Returns the position of a number in the text of a matrix, for example `[1][2]`. */
function findPosition(matrix: string, index: number): string {
  const path: number[] = [];
  let count = 0;
  for (const [token] of matrix.matchAll(TOKEN)) {
    if (token === '[') path.push(0);
    else if (token === ']') path.pop();
    else if (token === ',') path.push((path.pop() ?? 0) + 1);
    else if (count === index) break;
    else count += 1;
  }
  return path.map((each) => `[${each}]`).join('');
}

function exceeded(...reasons: readonly FaultReason[]): ChannelFailure {
  return createFailure('WRITE_LIMIT_EXCEEDED', ...reasons);
}

function incomparable(code: ErrorCode): ChannelFailure {
  return createFailure(code, createReason(PLANT_FAILURES, 'VALUES_NOT_COMPARABLE', {}));
}
