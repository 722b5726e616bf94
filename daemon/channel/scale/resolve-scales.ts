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
      const fault = findNameFault(channel, scaleFrom.channel, named);
      if (fault === undefined) return { ...channel, scaleChannel: named.get(scaleFrom.channel) };
      faults.push({ path: [index, 'scaleFrom', 'channel'], message: fault });
      return channel;
    }
    const key = JSON.stringify(scaleFrom.address);
    const known = unnamed.get(key);
    const scaleChannel = known ?? createScaleChannel(channel, scaleFrom.address);
    unnamed.set(key, scaleChannel);
    if (known === undefined) {
      for (const { path, message } of checkChannel(scaleChannel)) {
        const where = path[0] === 'address' ? path : ['address'];
        faults.push({ path: [index, 'scaleFrom', ...where], message });
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

function findNameFault(
  channel: Channel,
  name: string,
  channels: ReadonlyMap<string, Channel>,
): string | undefined {
  const scale = channels.get(name);
  if (scale === undefined) {
    const nearest = findNearestKey(name, [...channels.keys()]);
    return `unknown channel "${name}"${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
  }
  const cycle = findCycle(channel, channels);
  if (cycle !== undefined) return `the scales form a cycle: ${cycle.join(' > ')}`;
  if (scale.scaleFrom !== undefined) return `"${name}" has a scaleFrom itself; expected a channel without`;
  if (!isReadable(scale)) return `"${name}" can only be written`;
  return isNumeric(scale.valueType) ? undefined : `"${name}" is a ${scale.valueType}; expected a number`;
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
