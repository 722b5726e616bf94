import { isReadable } from '../channel/channel.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../channel/channel-record.ts';
import type { Reading } from '../channel/driver.ts';
import { ConversionFault, createScaling } from './scaling.ts';
import type { Scaling } from './scaling.ts';

/** A channel that somebody wants the value of; without address: a name that no channel has. */
export type WantedChannel = Channel | { readonly name: string; readonly address?: undefined };

/** A channel that the device is asked for, or one that it is not, and why. */
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

/** Decides whether the device is asked for a channel: it has to exist, to be enabled and to be readable. */
export function toSlot(channel: WantedChannel): ChannelSlot {
  const { name } = channel;
  if (!('valueType' in channel)) {
    return { name, failure: { code: 'CHANNEL_UNKNOWN', message: `no channel is called "${name}"` } };
  }
  if (!channel.isEnabled) {
    return { channel, name, failure: { code: 'CHANNEL_DISABLED', message: `channel "${name}" is disabled` } };
  }
  if (!isReadable(channel)) {
    return {
      channel,
      name,
      failure: { code: 'CHANNEL_NOT_READABLE', message: `channel "${name}" can only be written` },
    };
  }
  return { channel, scaling: createScaling(channel) };
}

/** Scales what a driver brought back; a value that does not fit its type is a failure. */
export function toRecord({ channel, scaling }: ReadableSlot, reading: Reading): ChannelRecord {
  const { name } = channel;
  const { timestampMs } = reading;
  if (reading.failure !== undefined) return { channel, name, failure: reading.failure, timestampMs };
  const value = scaling.toValue(reading.value);
  if (value instanceof ConversionFault) {
    return { channel, name, failure: { code: value.code, message: value.message }, timestampMs };
  }
  return { channel, name, value, timestampMs };
}
