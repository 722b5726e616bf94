import { createFault, createReason } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { CHANNEL_FAULTS } from '../fault-sentences.ts';
import { findNearestKey } from '../../base/key/key-hint.ts';
import type { Fault } from '../../base/schema.ts';
import { isReadable } from '../channel.ts';
import type { Channel } from '../channel.ts';
import type { DriverFactory } from '../driver.ts';
import { isNumeric } from '../value-type.ts';

/** A channel and its position in the document. */
export interface PlacedChannel {
  readonly index: number;
  readonly channel: Channel;
}

/** Channels with their scale channels, and the errors of those; paths begin with the position of the channel. */
interface ResolvedScales {
  readonly channels: readonly Channel[];
  readonly faults: readonly Fault[];
}

/**
 * Finds the channel of each `scaleFrom`: a channel of the same asset, or one that is made for its address. Equal addresses
 * share one.
 *
 * @param placed channels of one asset that are valid otherwise
 */
export function resolveScales(
  placed: readonly PlacedChannel[],
  checkChannel: DriverFactory['checkChannel'],
): ResolvedScales {
  if (!placed.some(({ channel }) => channel.scaleFrom !== undefined)) {
    return { channels: placed.map(({ channel }) => channel), faults: [] };
  }
  const named = new Map(placed.map(({ channel }) => [channel.name, channel]));
  const unnamed = new Map<string, Channel>();
  const faults: Fault[] = [];
  const channels = placed.map(({ index, channel }) => {
    const { scaleFrom } = channel;
    if (scaleFrom === undefined) return channel;
    if (scaleFrom.channel !== undefined) {
      const reasons = findNameReasons(channel, scaleFrom.channel, named);
      if (reasons.length === 0) return { ...channel, scaleChannel: named.get(scaleFrom.channel) };
      faults.push(createFault([index, 'scaleFrom', 'channel'], ...reasons));
      return channel;
    }
    const key = JSON.stringify(scaleFrom.address);
    const known = unnamed.get(key);
    const scaleChannel = known ?? createScaleChannel(channel, scaleFrom.address);
    unnamed.set(key, scaleChannel);
    if (known === undefined) {
      for (const fault of checkChannel(scaleChannel)) {
        const where = fault.path[0] === 'address' ? fault.path : ['address'];
        faults.push({ ...fault, path: [index, 'scaleFrom', ...where] });
      }
    }
    return { ...channel, scaleChannel };
  });
  return { channels, faults };
}

function createScaleChannel({ name }: Channel, address: unknown): Channel {
  return {
    name: `${name}:scale`,
    type: 'READ',
    valueType: 'DOUBLE',
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
    address,
  };
}

function findNameReasons(
  channel: Channel,
  name: string,
  channels: ReadonlyMap<string, Channel>,
): readonly FaultReason[] {
  const scale = channels.get(name);
  if (scale === undefined) {
    const nearest = findNearestKey(name, [...channels.keys()]);
    const unknown = createReason(CHANNEL_FAULTS, 'SCALE_CHANNEL_UNKNOWN', { channel: name });
    return nearest === undefined
      ? [unknown]
      : [unknown, createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest })];
  }
  const cycle = findCycle(channel, channels);
  if (cycle !== undefined) return [createReason(CHANNEL_FAULTS, 'SCALE_CYCLE', { cycle: cycle.join(' > ') })];
  if (scale.scaleFrom !== undefined)
    return [createReason(CHANNEL_FAULTS, 'SCALE_OF_SCALE', { channel: name })];
  if (!isReadable(scale)) return [createReason(CHANNEL_FAULTS, 'CHANNEL_ONLY_WRITTEN', { channel: name })];
  const { valueType } = scale;
  return isNumeric(valueType)
    ? []
    : [createReason(CHANNEL_FAULTS, 'SCALE_CHANNEL_NOT_NUMERIC', { channel: name, valueType })];
}

/** Returns the names from a channel back to itself along `scaleFrom`. */
function findCycle({ name }: Channel, channels: ReadonlyMap<string, Channel>): readonly string[] | undefined {
  const names = [name];
  for (let next = channels.get(name)?.scaleFrom?.channel; next !== undefined;) {
    if (next === name) return [...names, next];
    // A cycle without this channel is an error of its members.
    if (names.includes(next)) return undefined;
    names.push(next);
    next = channels.get(next)?.scaleFrom?.channel;
  }
  return undefined;
}
