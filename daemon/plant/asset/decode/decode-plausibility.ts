import type { ChannelValue } from '../../../channel/value-type.ts';

/** A value as displayed by the instrument: a number, a text, or on and off. */
export type ExpectedValue = number | string | boolean;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const SHORT_TEXT = 4;

// Usual magnitudes of fractions on instruments; others are probably a wrong interpretation.
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e6;
// Four digits and the point are five characters; noise has as many digits as fit.
const FEW_CHARACTERS = 5;

const FEW_DIGITS_BONUS = 10;
// A scaled number must be clearly more likely than the same number without scale.
const SCALED_PENALTY = 8;
const PENALTY_PER_DECADE = 3;
const SCALED_FRACTION_PENALTY = 15;

/**
 * Rates the plausibility of a value on an instrument; only the order of the ratings matters.
 *
 * Readable text comes first, then fractions of usual magnitude, then small whole numbers; zero, bits and NaN say little.
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
  // An integer that its scale turned into a fraction is as likely as the integer.
  if (exponent < 0 && Number.isInteger(number * 10 ** -exponent)) return 70;
  const bonus = String(magnitude).length <= FEW_CHARACTERS ? FEW_DIGITS_BONUS : 0;
  return 80 + bonus - (exponent === 0 ? 0 : SCALED_FRACTION_PENALTY);
}

/**
 * Returns the distance of a value from the expected one.
 *
 * @returns 0 if equal; for numbers the difference relative to the expected one, or the absolute difference if
 *   0 is expected; Infinity for different types or unrelated values
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
