import type { Channel } from '../../channel/channel.ts';
import type { DecimalFactor } from '../../channel/scale/scale-from.ts';
import { formatFloat32 } from '../../channel/value-syntax.ts';
import { VALUE_TYPE_TABLE } from '../../channel/value-type.ts';
import { ConversionFault, createScaling } from './scaling.ts';

/** Precision of the values of a channel; smaller differences do not count. */
export interface Precision {
  /** Returns a limit as a read returns it after a write: the nearest 32-bit float if values are such. */
  roundLimit(limit: number): number;
  /** Returns the number of a value: for a 32-bit float, its shortest decimal. */
  toDecimal(value: number): number;
  /** Returns the maximum calculation error between two values that should be equal. */
  slackOf(one: number, other: number): number;
}

/** A product, a sum, and undoing them: a few units in the last of the 53 bits of a double. */
const SLACK = 2 ** -50;

/** The precision of doubles without any scaling. */
export const DOUBLE_PRECISION: Precision = {
  roundLimit: (limit) => limit,
  toDecimal: (value) => value,
  slackOf: (one, other) => Math.max(Math.abs(one), Math.abs(other)) * SLACK,
};

const shorten = (value: number): number => Number(formatFloat32(Math.fround(value)));

/** Returns the precision of raw values; `isSingle`: the device stores 32-bit floats. */
export function createRawPrecision(isSingle: boolean): Precision {
  return isSingle ? { ...DOUBLE_PRECISION, roundLimit: Math.fround, toDecimal: shorten } : DOUBLE_PRECISION;
}

/**
 * Returns the precision of a channel.
 *
 * @param isSingle true if its device stores 32-bit floats
 * @param factor that of `scaleFrom`
 */
export function createPrecision(channel: Channel, isSingle: boolean, factor?: DecimalFactor): Precision {
  const { valueType, valueOffset } = channel;
  const scaling = createScaling(channel);
  // A value that does not fit stays unchanged and is compared with others of its kind.
  const throughRaw = (value: number, round: (raw: number) => number): number => {
    const raw = scaling.toRaw(value, factor);
    if (raw instanceof ConversionFault || typeof raw !== 'number') return value;
    const result = scaling.toValue(round(raw), factor);
    return typeof result === 'number' ? result : value;
  };
  const isFloat = valueType === 'FLOAT';
  const { arithmetic } = VALUE_TYPE_TABLE[valueType];
  const isArray = arithmetic === 'NONE';
  // Rounding would change an integer.
  const hasSingle = isSingle && arithmetic === 'DOUBLE';
  const toDecimal = (value: number): number => {
    if (isArray || !Number.isFinite(value)) return value;
    // The decimal of the device value is scaled in 64 bits.
    if (hasSingle && !isFloat) return throughRaw(value, shorten);
    return isFloat ? shorten(value) : value;
  };
  return {
    roundLimit(limit) {
      // The text of an array has the shortest decimals.
      if (isArray) return isSingle ? shorten(limit) : limit;
      const own = isFloat ? Math.fround(limit) : limit;
      return hasSingle ? throughRaw(own, Math.fround) : own;
    },
    toDecimal,
    slackOf: (one, other) => DOUBLE_PRECISION.slackOf(one, other) + Math.abs(valueOffset) * SLACK,
  };
}
