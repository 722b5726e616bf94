import type { Channel } from '../../channel/channel.ts';
import { formatFloat32 } from '../../channel/value-syntax.ts';
import { VALUE_TYPE_TABLE } from '../../channel/value-type.ts';
import { ConversionFault, createScaling } from './scaling.ts';

/** How exactly the values of a channel are held and calculated; differences below that are none. */
export interface Precision {
  /** Returns a limit as the channel shows it once it was written: the nearest 32-bit float where values are such. */
  roundLimit(limit: number): number;
  /** Returns the number that a value stands for: of a 32-bit float, its shortest decimal. */
  toDecimal(value: number): number;
  /** Returns the largest difference that calculation leaves between two values that should be equal. */
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

/** Returns the precision of raw values; `isSingle` whether the device holds 32-bit floats. */
export function createRawPrecision(isSingle: boolean): Precision {
  return isSingle ? { ...DOUBLE_PRECISION, roundLimit: Math.fround, toDecimal: shorten } : DOUBLE_PRECISION;
}

/**
 * Returns the precision of a channel.
 *
 * @param isSingle whether its device holds 32-bit floats
 */
export function createPrecision(channel: Channel, isSingle: boolean): Precision {
  const { valueType, valueOffset } = channel;
  const scaling = createScaling(channel);
  // What does not fit keeps its value: it is compared with others of its kind.
  const throughRaw = (value: number, round: (raw: number) => number): number => {
    const raw = scaling.toRaw(value);
    if (raw instanceof ConversionFault || typeof raw !== 'number') return value;
    const result = scaling.toValue(round(raw));
    return typeof result === 'number' ? result : value;
  };
  const isFloat = valueType === 'FLOAT';
  const { arithmetic } = VALUE_TYPE_TABLE[valueType];
  const isArray = arithmetic === 'NONE';
  // A whole number that is rounded is another one.
  const hasSingle = isSingle && arithmetic === 'DOUBLE';
  const toDecimal = (value: number): number => {
    if (isArray || !Number.isFinite(value)) return value;
    // The decimal of what the device holds is scaled in 64 bits.
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
