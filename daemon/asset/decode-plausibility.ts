import type { ChannelValue } from '../channel/value-type.ts';

/** What somebody reads on the instrument: a number, a text, or whether something is on. */
export type ExpectedValue = number | string | boolean;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const SHORT_TEXT = 4;

// Magnitudes in which instruments show fractions; outside of them bits that mean something else are more likely.
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e6;
// An instrument that shows four digits has five characters with the point; noise has all that fit.
const FEW_CHARACTERS = 5;

const FEW_DIGITS_BONUS = 10;
// A number that is scaled has to be likelier than the same number as it stands.
const SCALED_PENALTY = 8;
const PENALTY_PER_DECADE = 3;
const SCALED_FRACTION_PENALTY = 15;

/**
 * Tells how likely a value is what an instrument shows, as a number whose order alone counts.
 *
 * Text that can be read comes first, then fractions of sane magnitude, then small whole numbers; zero, bits and what is no
 * number at all say little.
 *
 * @param value after scaling
 * @param exponent of the power of ten by which the raw value was multiplied
 */
export function plausibilityOf(value: ChannelValue, exponent: number): number {
  if (typeof value === 'string') return plausibilityOfText(value);
  if (typeof value === 'boolean') return 15;
  if (typeof value === 'object') return 1;
  const number = Number(value);
  if (!Number.isFinite(number)) return 0;
  const isWhole = Number.isInteger(number);
  const scaling = exponent === 0 ? 0 : SCALED_PENALTY + PENALTY_PER_DECADE * Math.abs(exponent);
  return (isWhole ? plausibilityOfWhole(number) : plausibilityOfFraction(number, exponent)) - scaling;
}

function plausibilityOfText(text: string): number {
  if (!PRINTABLE.test(text)) return 0;
  return text.length >= SHORT_TEXT ? 95 : 35;
}

function plausibilityOfWhole(number: number): number {
  const magnitude = Math.abs(number);
  if (magnitude === 0) return 5;
  if (magnitude <= 10_000) return 70;
  if (magnitude <= 1e6) return 50;
  return magnitude <= 1e9 ? 30 : 10;
}

function plausibilityOfFraction(number: number, exponent: number): number {
  const magnitude = Math.abs(number);
  if (magnitude < SMALLEST_FRACTION || magnitude > LARGEST_FRACTION) return 0;
  // A whole number that was made a fraction by its scale is as likely as the whole number was.
  if (exponent < 0 && Number.isInteger(number * 10 ** -exponent)) return 70;
  const bonus = String(magnitude).length <= FEW_CHARACTERS ? FEW_DIGITS_BONUS : 0;
  return 80 + bonus - (exponent === 0 ? 0 : SCALED_FRACTION_PENALTY);
}

/**
 * Tells how far a value is from what was expected.
 *
 * @returns 0 when they are the same; for numbers the difference as a share of the expected one, or the difference itself
 *   when 0 is expected; Infinity when they are of different kinds or nothing alike
 */
export function distanceTo(expected: ExpectedValue, value: ChannelValue): number {
  if (typeof expected === 'number') {
    if (typeof value !== 'number' && typeof value !== 'bigint') return Infinity;
    const distance = Math.abs(Number(value) - expected) / (Math.abs(expected) || 1);
    return Number.isNaN(distance) ? Infinity : distance;
  }
  if (value === expected) return 0;
  return typeof expected === 'string' && typeof value === 'string'
    ? distanceToText(expected, value)
    : Infinity;
}

function distanceToText(expected: string, text: string): number {
  const [wanted, found] = [expected.trim().toLowerCase(), text.trim().toLowerCase()];
  if (wanted === '' || found === '') return Infinity;
  if (wanted === found) return 0.01;
  return found.includes(wanted) || wanted.includes(found) ? 0.1 : Infinity;
}
