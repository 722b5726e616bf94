import { createReason } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import { isReadable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import type { Reading } from '../../../channel/driver.ts';
import { ConversionFault, createScaling } from '../scaling.ts';
import type { Scaling } from '../scaling.ts';

/** A requested channel; without address: an unknown name. */
export type WantedChannel = Channel | { readonly name: string; readonly address?: undefined };

/** A channel that is read from the device, or the reason that it is not. */
export type ChannelSlot = ReadableSlot | RefusedSlot;

export interface ReadableSlot {
  readonly channel: Channel;
  readonly scaling: Scaling;
}

export interface RefusedSlot {
  readonly channel?: Channel | undefined;
  readonly name: string;
  readonly failure: ChannelFailure;
}

/** Returns the failure of an unknown channel. */
export function describeUnknownChannel(name: string): ChannelFailure {
  const reason = createReason(PLANT_FAILURES, 'CHANNEL_NAME_UNKNOWN', { channel: name });
  return createFailure('CHANNEL_UNKNOWN', reason);
}

/** Returns the slot of a channel, which is read only if it exists, is enabled and readable. */
export function toSlot(channel: WantedChannel): ChannelSlot {
  const { name } = channel;
  if (!('valueType' in channel)) {
    return { name, failure: describeUnknownChannel(name) };
  }
  if (!channel.isEnabled) {
    const reason = createReason(PLANT_FAILURES, 'CHANNEL_IS_DISABLED', { channel: name });
    return { channel, name, failure: createFailure('CHANNEL_DISABLED', reason) };
  }
  if (!isReadable(channel)) {
    const reason = createReason(PLANT_FAILURES, 'CHANNEL_WRITE_ONLY', { channel: name });
    return { channel, name, failure: createFailure('CHANNEL_NOT_READABLE', reason) };
  }
  return { channel, scaling: createScaling(channel) };
}

/** Scales the reading of a driver; a value outside its type becomes a failure. */
export function toRecord({ channel, scaling }: ReadableSlot, reading: Reading): ChannelRecord {
  const { name } = channel;
  const { timestampMs } = reading;
  if (reading.failure !== undefined) {
    return { channel, name, failure: reading.failure, timestampMs, ...queueOf(reading) };
  }
  const value = scaling.toValue(reading.value, reading.factor);
  if (value instanceof ConversionFault) {
    const failure = { code: value.code, message: value.message };
    return { channel, name, failure, timestampMs, ...queueOf(reading) };
  }
  const { quality = 'GOOD', status } = reading;
  // Nearly every reading: one object, and none that is spread into it.
  if (status === undefined && reading.isQueued !== true)
    return { channel, name, value, timestampMs, quality };
  const given = status === undefined ? { quality } : { quality, status };
  return { channel, name, value, timestampMs, ...given, ...queueOf(reading) };
}

function queueOf({ isQueued }: Reading): Pick<ChannelRecord, 'isQueued'> {
  return isQueued === true ? { isQueued } : {};
}
