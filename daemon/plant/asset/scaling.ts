import { isPlainText } from '../../base/text/plain-text.ts';
import { usesIntegerArithmetic } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import { dropUnavailable, isUnavailable } from '../../channel/unavailable/not-available.ts';
import type { UnavailableValues } from '../../channel/unavailable/not-available.ts';
import type { DecimalFactor } from '../../channel/scale/scale-from.ts';
import { VALUE_TYPE_TABLE } from '../../channel/value-type.ts';
import type { ChannelValue, NumericType, OpaqueType } from '../../channel/value-type.ts';
import {
  divide,
  divideInteger,
  FACTOR_ONE,
  multiply,
  multiplyFactors,
  multiplyInteger,
  toDecimalFactor,
} from './decimal-factor.ts';

/** Reason that a value could not be converted; a result of the conversion, not an exception. */
export class ConversionFault {
  readonly code:
    | 'VALUE_OUT_OF_RANGE'
    | 'VALUE_TYPE_MISMATCH'
    | 'VALUE_NOT_REPRESENTABLE'
    | 'VALUE_NOT_AVAILABLE'
    | 'VALUE_NOT_TEXT';
  readonly message: string;

  constructor(code: ConversionFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Converts between the raw values of a device and the values that clients see. */
export interface Scaling {
  /**
   * Returns raw × scale + offset in the shape of the channel's value type; never an overflowed number, and without scale
   * never a DOUBLE that has lost digits of an integer. A raw value that means "not available" is a fault.
   *
   * @param factor that of `scaleFrom`; absent: 1
   */
  toValue(raw: ChannelValue, factor?: DecimalFactor): ChannelValue | ConversionFault;
  /** Returns the raw value that reads back as `value`, which has the shape of the channel's value type. */
  toRaw(value: ChannelValue, factor?: DecimalFactor): ChannelValue | ConversionFault;
}

/**
 * Prepares the conversion of one channel.
 *
 * The arithmetic follows `scaleOffsetType`: DOUBLE calculates with 64-bit floats and truncates the result to the value type;
 * LONG, and DEFINED_BY_VALUE_TYPE on INTEGER and LONG, truncate scale, offset and raw value to integers first; with
 * `scaleFrom` they truncate raw value × factor × scale.
 */
export function createScaling(channel: Channel): Scaling {
  const { unavailable } = channel;
  const scaling = createPlainScaling(channel);
  return unavailable === undefined ? scaling : withoutUnavailable(scaling, unavailable);
}

function withoutUnavailable(scaling: Scaling, values: UnavailableValues): Scaling {
  return {
    toRaw: (value, factor) => scaling.toRaw(value, factor),
    toValue(raw, factor) {
      if (isUnavailable(raw, values)) return notAvailable(`the raw value ${String(raw)}`);
      if (typeof raw !== 'string') return scaling.toValue(raw, factor);
      const text = dropUnavailable(raw, values);
      return text === undefined ? notAvailable('every element of the array') : scaling.toValue(text);
    },
  };
}

function createPlainScaling(channel: Channel): Scaling {
  const type = VALUE_TYPE_TABLE[channel.valueType];
  if (type.arithmetic === 'NONE') return createOpaqueScaling(channel, type);
  if (channel.scaleFrom !== undefined) return createFactorScaling(channel);
  const isIdentity = channel.valueScale === 1 && channel.valueOffset === 0;
  if (usesIntegerArithmetic(channel)) return createIntegerScaling(channel, type);
  return isIdentity ? createIdentityScaling(channel, type) : createDoubleScaling(channel, type);
}

/**
 * Prepares the conversion of written values of one channel.
 *
 * @param scaleOnWrite true: apply scale and offset in reverse; false: write values unchanged
 */
export function createWriteScaling(channel: Channel, scaleOnWrite: boolean): Scaling {
  if (scaleOnWrite) return createScaling(channel);
  return createScaling({
    ...channel,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    scaleFrom: undefined,
  });
}

/** Scale and factor become one decimal, so that the product is rounded once; the offset follows. */
function createFactorScaling(channel: Channel): Scaling {
  const isInteger = usesIntegerArithmetic(channel);
  const scale = isInteger ? Math.trunc(channel.valueScale) : channel.valueScale;
  const own = toDecimalFactor(scale);
  const rest = createPlainScaling({ ...channel, valueScale: 1, scaleFrom: undefined });
  const combine = (factor: DecimalFactor): DecimalFactor =>
    own === FACTOR_ONE ? factor : multiplyFactors(factor, own);
  const isExact = ({ digits }: DecimalFactor): boolean => isInteger && Number.isSafeInteger(digits);
  const scaling: Scaling = {
    toValue(raw, factor = FACTOR_ONE) {
      const number = toNumeric(raw);
      if (number === undefined) return mismatch(raw, channel.valueType);
      const combined = combine(factor);
      if (typeof number === 'number') {
        const product = dropSign(multiply(number, combined), number);
        if (!isExact(combined) || Number.isSafeInteger(product) || !Number.isInteger(number))
          return Number.isFinite(product) || !Number.isFinite(number)
            ? rest.toValue(product)
            : outOfRange(channel, product);
      }
      const product = isExact(combined)
        ? multiplyInteger(BigInt(number), combined)
        : multiply(Number(number), combined);
      return rest.toValue(product);
    },
    toRaw(value, factor = FACTOR_ONE) {
      const product = rest.toRaw(value);
      if (typeof product !== 'number' && typeof product !== 'bigint') return product;
      const combined = combine(factor);
      const exact =
        typeof product === 'bigint' && isExact(combined) ? divideInteger(product, combined) : undefined;
      const raw = exact ?? dropSign(divide(Number(product), combined), Number(product));
      if (typeof raw === 'number' && !Number.isFinite(raw) && Number.isFinite(Number(product)))
        return notRepresentable(channel, value, combined);
      if (VALUE_TYPE_TABLE[channel.valueType].arithmetic !== 'INTEGER') return raw;
      const whole = typeof raw === 'number' ? Math.round(raw) : raw;
      return scaling.toValue(whole, factor) === value ? whole : notRepresentable(channel, value, combined);
    },
  };
  return scaling;
}

function createOpaqueScaling({ valueType }: Channel, type: OpaqueType): Scaling {
  return {
    toValue: (raw) => type.fromRaw(raw) ?? mismatch(raw, valueType),
    toRaw: (value) => value,
  };
}

function createIdentityScaling(channel: Channel, type: NumericType): Scaling {
  return {
    toValue(raw) {
      const number = toNumeric(raw);
      if (number === undefined) return mismatch(raw, channel.valueType);
      if (channel.valueType === 'DOUBLE' && typeof number === 'bigint' && !isExactDouble(number)) {
        return tooManyDigits(number);
      }
      return type.fromNumber(number) ?? outOfRange(channel, number);
    },
    toRaw: (value) => value,
  };
}

function createDoubleScaling(channel: Channel, type: NumericType): Scaling {
  const { valueScale, valueOffset, valueType } = channel;
  const isInteger = type.arithmetic === 'INTEGER';
  const forward = (raw: number): ChannelValue | ConversionFault => {
    const product = dropSign(raw * valueScale, raw);
    // A negative zero plus 0 would lose its sign.
    const result = valueOffset === 0 ? product : product + valueOffset;
    if (!Number.isFinite(result) && Number.isFinite(raw)) return outOfRange(channel, result);
    const number = isInteger ? cut(result, product) : result;
    return type.fromNumber(number) ?? outOfRange(channel, number);
  };
  return {
    toValue(raw) {
      const number = toNumeric(raw);
      return number === undefined ? mismatch(raw, valueType) : forward(Number(number));
    },
    toRaw(value) {
      const number = Number(value);
      const raw = dropSign((number - valueOffset) / valueScale, number);
      if (!Number.isFinite(raw) && Number.isFinite(number)) return notRepresentable(channel, value);
      if (!isInteger) return raw;
      if (forward(Math.round(raw)) === value) return Math.round(raw);
      return forward(raw) === value ? raw : notRepresentable(channel, value);
    },
  };
}

function createIntegerScaling(channel: Channel, type: NumericType): Scaling {
  const scale = BigInt(Math.trunc(channel.valueScale));
  const offset = BigInt(Math.trunc(channel.valueOffset));
  const [factor, summand] = [Number(scale), Number(offset)];
  return {
    toValue(raw) {
      const number = toNumeric(raw);
      if (number === undefined) return mismatch(raw, channel.valueType);
      if (typeof number === 'number') {
        if (!Number.isFinite(number)) return outOfRange(channel, number);
        // As long as product and sum are exact, no bigint is needed.
        const product = Math.trunc(number) * factor;
        const sum = product + summand;
        if (Number.isSafeInteger(product) && Number.isSafeInteger(sum)) {
          return type.fromNumber(sum) ?? outOfRange(channel, sum);
        }
      }
      const sum = BigInt(typeof number === 'number' ? Math.trunc(number) : number) * scale + offset;
      return type.fromNumber(sum) ?? outOfRange(channel, sum);
    },
    toRaw(value) {
      if (typeof value === 'number' && !Number.isInteger(value)) return notRepresentable(channel, value);
      const difference = BigInt(value as number | bigint) - offset;
      if (difference % scale !== 0n) return notRepresentable(channel, value);
      const raw = difference / scale;
      return Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
    },
  };
}

/** Returns a result, but 0 for the negative zero that a negative scale makes of 0. */
function dropSign(result: number, of: number): number {
  return Object.is(result, -0) && Object.is(of, 0) ? 0 : result;
}

function toNumeric(raw: ChannelValue): number | bigint | undefined {
  if (typeof raw === 'number' || typeof raw === 'bigint') return raw;
  return typeof raw === 'boolean' ? Number(raw) : undefined;
}

// A product such as 0.57 × 100 is a few units in the last place below the exact integer; truncating it
// would lose a whole unit. What is lacking stays when an offset makes the sum much smaller than the product.
function cut(value: number, product: number): number {
  const nearest = Math.round(value);
  return Math.abs(value - nearest) <= Math.max(Math.abs(value), Math.abs(product)) * 2 ** -50
    ? nearest
    : Math.trunc(value);
}

function notAvailable(what: string): ConversionFault {
  return new ConversionFault('VALUE_NOT_AVAILABLE', `${what} means "not available"`);
}

function outOfRange({ valueType }: Channel, value: number | bigint): ConversionFault {
  return new ConversionFault('VALUE_OUT_OF_RANGE', `${value} is out of the range of ${valueType}`);
}

function isExactDouble(number: bigint): boolean {
  return BigInt(Number(number)) === number;
}

function tooManyDigits(number: bigint): ConversionFault {
  return new ConversionFault(
    'VALUE_OUT_OF_RANGE',
    `${number} has more digits than a DOUBLE can hold; use LONG`,
  );
}

function mismatch(raw: ChannelValue, valueType: string): ConversionFault {
  if (typeof raw === 'string' && !isPlainText(raw)) {
    return new ConversionFault(
      'VALUE_NOT_TEXT',
      'the device returned a text with NUL or an unpaired surrogate',
    );
  }
  const kind = typeof raw === 'object' ? 'bytes' : typeof raw === 'bigint' ? 'number' : typeof raw;
  return new ConversionFault('VALUE_TYPE_MISMATCH', `the device returned a ${kind}, expected ${valueType}`);
}

function notRepresentable(
  { valueScale, valueOffset }: Channel,
  value: ChannelValue,
  factor?: DecimalFactor,
): ConversionFault {
  const scale = factor === undefined ? valueScale : multiply(1, factor);
  return new ConversionFault(
    'VALUE_NOT_REPRESENTABLE',
    `no raw value yields ${String(value)} with scale ${scale} and offset ${valueOffset}`,
  );
}
