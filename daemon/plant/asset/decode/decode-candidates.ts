import type { Interpretation } from '../../../channel/driver.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import { MAXIMUM_CANDIDATES } from '../../../interface/plant/commissioning.ts';
import { distanceTo, plausibilityOf } from './decode-plausibility.ts';
import type { ExpectedValue } from './decode-plausibility.ts';

/** Fields of a channel that determine how its bytes are decoded. */
interface DecodeSetting {
  /** Fields of the address, for example `dataType` and `wordOrder`. */
  readonly address: Readonly<Record<string, unknown>>;
  readonly valueScale: number;
  readonly valueOffset: number;
}

/** One interpretation of the bytes of a channel. */
export interface DecodeCandidate extends DecodeSetting {
  /** Resulting value of the channel. */
  readonly value: ChannelValue;
  /** True if the channel is configured with it. */
  readonly isConfigured: boolean;
  /** Further settings that yield the same value. */
  readonly alternatives: readonly DecodeSetting[];
}

export interface RankOptions {
  /** Configured scale and offset of the channel. */
  readonly valueScale: number;
  readonly valueOffset: number;
  /** Value on the display of the instrument; absent if unknown. */
  readonly expected?: ExpectedValue | undefined;
}

// Powers of ten by which devices store fractions as whole numbers, and kilo-units as units.
const EXPONENTS = [0, -1, -2, -3, 1, 2, 3];

type Shown = Omit<DecodeCandidate, 'alternatives'>;

// Digits that every double keeps (C11, DBL_DIG).
const SIGNIFICANT_DIGITS = 15;

interface Scored {
  readonly candidate: Shown;
  readonly distance: number;
  readonly plausibility: number;
}

/**
 * Ranks the possible interpretations of the bytes of a channel, most likely first.
 *
 * Numbers are tried with scales from 0.001 to 1000. Settings that yield the same value are one candidate, under the
 * configured setting if it is among them, otherwise the most likely one. With an expected value, candidates are ordered by
 * their distance to it.
 *
 * @param interpretations raw values; the first of equally likely ones wins
 * @returns at most {@link MAXIMUM_CANDIDATES}, the configured one among them
 */
export function rankInterpretations(
  interpretations: readonly Interpretation[],
  options: RankOptions,
): readonly DecodeCandidate[] {
  const scored = interpretations
    .flatMap((interpretation) => scaleAll(interpretation, options))
    .map((candidate) => score(candidate, options.expected))
    .toSorted(compare)
    .map(({ candidate }) => candidate);
  const ranked = collapse(scored);
  const given = ranked.slice(0, MAXIMUM_CANDIDATES);
  const left = ranked.slice(MAXIMUM_CANDIDATES).find(({ isConfigured }) => isConfigured);
  return left === undefined ? given : [...given.slice(0, -1), left];
}

function scaleAll(
  { address, value, isConfigured }: Interpretation,
  { valueScale, valueOffset }: RankOptions,
): readonly Shown[] {
  const exponents = typeof value === 'number' || typeof value === 'bigint' ? EXPONENTS : [0];
  const usual = exponents.map((exponent) => ({
    address,
    valueScale: scaleOf(exponent),
    valueOffset: 0,
    value: multiply(value, exponent),
    isConfigured: false,
  }));
  if (!isConfigured) return usual;
  const shown = applyConfigured(value, valueScale, valueOffset);
  const others = usual.filter((one) => one.valueScale !== valueScale || valueOffset !== 0);
  return [{ address, valueScale, valueOffset, value: shown, isConfigured: true }, ...others];
}

function multiply(value: ChannelValue, exponent: number): ChannelValue {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  if (exponent === 0) return typeof value === 'number' ? toDecimal(value) : value;
  const number = toDecimal(Number(value));
  const scaled = exponent < 0 ? number / 10 ** -exponent : number * 10 ** exponent;
  // A product of decimals differs from the exact decimal by a few units in the last place.
  return Number(scaled.toPrecision(SIGNIFICANT_DIGITS));
}

// A fraction that fits a 32-bit float came from one: its shortest decimal is the value of the device, 21.47 rather than
// 21.469999313354492.
function toDecimal(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value) || Math.fround(value) !== value) return value;
  return Number(formatValue('FLOAT', value));
}

function applyConfigured(value: ChannelValue, valueScale: number, valueOffset: number): ChannelValue {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const exponent = EXPONENTS.find((usual) => scaleOf(usual) === valueScale);
  const scaled = exponent === undefined ? Number(value) * valueScale : multiply(value, exponent);
  return valueOffset === 0 ? scaled : Number(scaled) + valueOffset;
}

function scaleOf(exponent: number): number {
  return exponent < 0 ? 1 / 10 ** -exponent : 10 ** exponent;
}

function score(candidate: Shown, expected: ExpectedValue | undefined): Scored {
  const { value, valueScale } = candidate;
  const exponent = Math.round(Math.log10(Math.abs(valueScale)));
  return {
    candidate,
    distance: expected === undefined ? 0 : distanceTo(expected, value),
    plausibility: plausibilityOf(value, exponent),
  };
}

function compare(a: Scored, b: Scored): number {
  if (a.distance !== b.distance) return a.distance < b.distance ? -1 : 1;
  return b.plausibility - a.plausibility;
}

/** @param shown in order, most likely first */
function collapse(shown: readonly Shown[]): readonly DecodeCandidate[] {
  const groups = new Map<string, Shown[]>();
  for (const candidate of shown) {
    const key = keyOf(candidate.value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()].flatMap((group) => {
    const chosen = group.find(({ isConfigured }) => isConfigured) ?? group[0];
    if (chosen === undefined) return [];
    const alternatives = group.filter((candidate) => candidate !== chosen).map(toSetting);
    return [{ ...chosen, alternatives }];
  });
}

function toSetting({ address, valueScale, valueOffset }: Shown): DecodeSetting {
  return { address, valueScale, valueOffset };
}

function keyOf(value: ChannelValue): string {
  if (typeof value === 'object') return `bytes ${Buffer.from(value).toString('hex')}`;
  // A number and a bigint of the same value are equal.
  const kind = typeof value === 'bigint' ? 'number' : typeof value;
  return `${kind} ${value}`;
}
