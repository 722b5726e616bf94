import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { PreparedRead, Reading } from '../../../channel/driver.ts';
import { worstQuality } from '../../../channel/quality.ts';
import type { ValueQuality } from '../../../channel/quality.ts';
import type { DecimalFactor } from '../../../channel/scale/scale-from.ts';
import { toDecimalFactor } from '../decimal-factor.ts';
import { toRecord, toSlot } from './channel-slot.ts';

/** A scale that was read, or the reason for its absence. */
export type Scale =
  | { readonly factor: DecimalFactor; readonly quality: ValueQuality; readonly failure?: undefined }
  | { readonly failure: ChannelFailure };

/** Channels to read, and the positions of their scales. */
interface ScaledList {
  /** The channels in the given order, then the scale channels that are not among them. */
  readonly channels: readonly Channel[];
  /** Undefined: no scale; `NOT_READ`: the scale channel is disabled. */
  readonly scaleAt: readonly (number | undefined)[];
}

/** Position of a scale channel that is not read. */
export const NOT_READ = -1;

// SunSpec: a scale factor of 0x8000 means that the point is not implemented.
const NOT_IMPLEMENTED: ReadonlySet<number> = new Set([-0x8000, 0x8000]);
// Every power of ten in this range is an exact double.
const LARGEST_EXPONENT = 22;
const NO_READING: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no reading' };

/** Adds the scale channels of some channels. */
export function listScaled(channels: readonly Channel[]): ScaledList {
  const all = [...channels];
  const positions = new Map(channels.map((channel, index) => [channel, index]));
  const scaleAt = channels.map(({ scaleChannel }) => {
    if (scaleChannel === undefined) return undefined;
    if (!scaleChannel.isEnabled) return NOT_READ;
    const known = positions.get(scaleChannel);
    if (known !== undefined) return known;
    positions.set(scaleChannel, all.length);
    return all.push(scaleChannel) - 1;
  });
  return { channels: all, scaleAt };
}

/** Plans a read of channels together with their scales, which become a part of their readings. */
export function prepareScaledRead(
  channels: readonly Channel[],
  prepareRead: (channels: readonly Channel[]) => PreparedRead,
): PreparedRead {
  if (!channels.some(({ scaleChannel }) => scaleChannel !== undefined)) return prepareRead(channels);
  const { channels: all, scaleAt } = listScaled(channels);
  const prepared = prepareRead(all);
  const describe = prepared.describe?.bind(prepared);
  return {
    ...(describe === undefined ? {} : { describe }),
    async read(signal) {
      const readings = await prepared.read(signal);
      // Channels that share a scale share its conversion.
      const scales: Scale[] = [];
      return channels.map((channel, index) => {
        const reading = readings[index] ?? { failure: NO_READING, timestampMs: 0 };
        const at = scaleAt[index];
        if (at === undefined) return reading;
        if (at === NOT_READ) return applyScale(reading, toScale(channel, undefined));
        const key = 2 * at + (channel.scaleFrom?.kind === 'FACTOR' ? 1 : 0);
        return applyScale(reading, (scales[key] ??= toScale(channel, readings[at])));
      });
    },
  };
}

/** Returns a reading with its scale, or the failure of that. */
export function applyScale(reading: Reading, scale: Scale): Reading {
  if (reading.failure !== undefined) return reading;
  if (scale.failure !== undefined) {
    const { timestampMs, isQueued } = reading;
    return { failure: scale.failure, timestampMs, isQueued };
  }
  const { factor, quality } = scale;
  return quality === 'GOOD'
    ? { ...reading, factor }
    : { ...reading, factor, quality: worstQuality(reading.quality ?? 'GOOD', quality) };
}

/** Returns the scale of a channel from the reading of its scale channel. */
export function toScale({ scaleFrom, scaleChannel }: Channel, reading: Reading | undefined): Scale {
  if (scaleChannel === undefined) throw new RangeError('the channel has no scale channel');
  const { name } = scaleChannel;
  const slot = toSlot(scaleChannel);
  if ('failure' in slot) return { failure: slot.failure };
  const record = toRecord(slot, reading ?? { failure: NO_READING, timestampMs: 0 });
  if (record.failure !== undefined) {
    const { code, message, stableMessage = message, status } = record.failure;
    const describe = (reason: string): string => `scale channel "${name}": ${reason}`;
    return {
      failure: { code, message: describe(message), stableMessage: describe(stableMessage), status },
    };
  }
  const scale = Number(record.value);
  const quality = record.quality ?? 'GOOD';
  if (scaleFrom?.kind === 'FACTOR') {
    return Number.isFinite(scale) && scale !== 0
      ? { factor: toDecimalFactor(scale), quality }
      : unusable(name, `${scale} is no factor`);
  }
  if (NOT_IMPLEMENTED.has(scale)) {
    const message = `scale channel "${name}" is not available: it has the value 0x8000`;
    return { failure: { code: 'VALUE_NOT_AVAILABLE', message } };
  }
  return Number.isInteger(scale) && Math.abs(scale) <= LARGEST_EXPONENT
    ? { factor: { digits: 1, exponent: scale }, quality }
    : unusable(
        name,
        `${scale} is no exponent of ten; expected a whole number from -${LARGEST_EXPONENT} to ${LARGEST_EXPONENT}`,
      );
}

function unusable(name: string, reason: string): Scale {
  return { failure: { code: 'SCALE_UNUSABLE', message: `scale channel "${name}": ${reason}` } };
}
