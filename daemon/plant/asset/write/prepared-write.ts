import { createReason, quoteError } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import { isWritable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { dropUnavailable, isUnavailable } from '../../../channel/unavailable/not-available.ts';
import type { DecimalFactor } from '../../../channel/scale/scale-from.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../../channel/value-type.ts';
import type { PreparedValue, WriteRequest } from '../../../channel/write-step.ts';
import { describeUnknownChannel } from '../read/channel-slot.ts';
import { ConversionFault, createScaling, createWriteScaling } from '../scaling.ts';
import { createPrecision } from '../value-precision.ts';
import type { Precision } from '../value-precision.ts';
import { findLimitFailure, isWithin } from './write-limits.ts';

/** One value to write; `value` has the shape of `valueType`. */
export interface ChannelWrite {
  readonly name: string;
  readonly valueType: ValueType;
  readonly value: ChannelValue;
  /** Required current value, in the shape of `valueType`; otherwise the write is not sent. */
  readonly ifValue?: ChannelValue | undefined;
  /**
   * Returns the reason that the write was cancelled; undefined otherwise. Called before anything is read for the write, and
   * while it holds the connection, right before it is sent.
   */
  readonly findCancellation?: (() => ChannelFailure | undefined) | undefined;
}

/** A value that its channel accepts, before it is scaled. */
export interface AskedWrite {
  readonly channel: Channel;
  readonly scaleOnWrite: boolean;
  /** The value of the request. */
  readonly asked: ChannelValue;
  readonly ifValue: ChannelValue | undefined;
  readonly findCancellation: ChannelWrite['findCancellation'];
}

/** A value in the form that its driver accepts. */
export interface ScaledWrite extends AskedWrite {
  /** Value for the driver, before it is rounded to its register. */
  readonly raw: ChannelValue;
  /** Factor of `scaleFrom`; undefined: none. */
  readonly factor: DecimalFactor | undefined;
}

/** A value that passed all checks that do not depend on the device. */
export interface PreparedWrite extends ScaledWrite {
  /** See `PreparedValue`; undefined: not reported by the driver. */
  readonly sent: ChannelValue | undefined;
  /** Value that a read returns after the write, in the unit of the channel. */
  readonly value: ChannelValue;
  /** The same value as written by clients; the value of the request if both differ by rounding only. */
  readonly written: ChannelValue;
  /** See `PreparedValue`. */
  readonly isSingle: boolean;
  readonly precision: Precision;
  readonly notSent: ChannelFailure | undefined;
}

/** Checks a value against its channel, and returns it or the failure; `scaleOnWrite` as in the asset. */
export function acceptWrite(
  channel: Channel | undefined,
  { name, valueType, value, ifValue, findCancellation }: ChannelWrite,
  scaleOnWrite: boolean,
): AskedWrite | ChannelFailure {
  if (channel === undefined) return describeUnknownChannel(name);
  const of = { channel: name };
  if (!channel.isEnabled) {
    return createFailure('CHANNEL_DISABLED', createReason(PLANT_FAILURES, 'CHANNEL_IS_DISABLED', of));
  }
  if (!isWritable(channel)) {
    return createFailure('CHANNEL_NOT_WRITABLE', createReason(PLANT_FAILURES, 'CHANNEL_ONLY_READ', of));
  }
  if (channel.valueType !== valueType) {
    const values = { ...of, type: channel.valueType, wanted: valueType };
    return createFailure('VALUE_TYPE_MISMATCH', createReason(PLANT_FAILURES, 'CHANNEL_HAS_TYPE', values));
  }
  if (ifValue !== undefined && channel.type !== 'READ_WRITE') {
    const reason = createReason(PLANT_FAILURES, 'CHANNEL_NOT_COMPARABLE', of);
    return createFailure('CHANNEL_NOT_READABLE', reason);
  }
  return { channel, scaleOnWrite, asked: value, ifValue, findCancellation };
}

/**
 * Converts a value to the form that its driver accepts, or returns the failure.
 *
 * @param factor that of `scaleFrom`, read right before the write; undefined: the channel has none
 */
export function scaleWrite(write: AskedWrite, factor?: DecimalFactor): ScaledWrite | ChannelFailure {
  const { channel, scaleOnWrite, asked } = write;
  const raw = createWriteScaling(channel, scaleOnWrite).toRaw(asked, factor);
  if (raw instanceof ConversionFault) return { code: raw.code, message: raw.message };
  return { ...write, raw, factor };
}

/**
 * Checks the value that the driver would send against the limits of the channel.
 *
 * @param prepared undefined: not reported by the driver; the value passed to the driver is checked
 */
export function prepareWrite(
  write: ScaledWrite,
  prepared: PreparedValue | undefined,
): PreparedWrite | ChannelFailure {
  const { channel, scaleOnWrite, raw, asked, factor } = write;
  const { sent, isSingle = false, notSent } = prepared ?? {};
  const unavailable = findUnavailable(channel, sent ?? raw);
  if (unavailable !== undefined) return unavailable;
  // A raw value that is written unchanged has a unit only when it is read.
  const value = createScaling(channel).toValue(sent ?? raw, factor);
  if (value instanceof ConversionFault) return { code: value.code, message: value.message };
  const precision = createPrecision(channel, isSingle, factor);
  const written = createWriteScaling(channel, scaleOnWrite).toValue(sent ?? raw, factor);
  // Texts must match exactly.
  const isAsAsked =
    written instanceof ConversionFault ||
    Object.is(written, asked) ||
    (typeof written !== 'string' && isWithin(0, written, asked) && !losesSign(asked, written));
  const failure = channel.write === undefined ? undefined : findLimitFailure(channel.write, value, precision);
  if (failure === undefined) {
    return { ...write, sent, value, written: isAsAsked ? asked : written, isSingle, precision, notSent };
  }
  if (isAsAsked) return failure;
  const [given = '', sentAs = ''] = [asked, written].map((each) => formatValue(channel.valueType, each));
  const rounded = createReason(PLANT_FAILURES, 'VALUE_ROUNDED', { value: given, sent: sentAs });
  return createFailure(failure.code, rounded, ...(failure.reasons ?? [quoteError(failure)]));
}

/** Returns the failure of a raw value that the device would take for "not available". */
function findUnavailable({ unavailable }: Channel, raw: ChannelValue): ChannelFailure | undefined {
  if (unavailable === undefined) return undefined;
  const isArray = typeof raw === 'string' && dropUnavailable(raw, unavailable) !== raw;
  if (!isArray && !isUnavailable(raw, unavailable)) return undefined;
  const what = isArray ? 'an element of the array' : `the raw value ${String(raw)}`;
  return { code: 'VALUE_NOT_AVAILABLE', message: `${what} means "not available" to the device; not sent` };
}

// Only a float has a negative zero.
function losesSign(asked: ChannelValue, written: ChannelValue): boolean {
  return Object.is(asked, -0) && Object.is(written, 0);
}

/** Returns the write request for the driver. */
export function toRequest({ channel, raw }: ScaledWrite): WriteRequest {
  return { channel, value: raw };
}

/** True if the write requires a read before or after it. */
export function isConditional({ channel: { write }, ifValue }: AskedWrite): boolean {
  if (ifValue !== undefined) return true;
  if (write === undefined) return false;
  const { maximumStep, maximumChangePerSecond, verify, onlyIf = [] } = write;
  const isChecked = [maximumStep, maximumChangePerSecond, verify].some((term) => term !== undefined);
  return isChecked || onlyIf.length > 0;
}
