import { createFault, createReason } from '../../../base/fault-reason.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import { CHANNEL_FAULTS } from '../../../channel/fault-sentences.ts';
import { PLANT_FAULTS } from '../fault-sentences.ts';
import type { Fault } from '../../../base/schema.ts';
import type { Slices } from '../../../base/slices.ts';
import { isReadable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import { parseValue } from '../../../channel/value-json.ts';
import { isNumeric } from '../../../channel/value-type.ts';
import type { WriteCondition } from '../../../channel/write-terms.ts';

const CHANNELS_OF_SLICE = 1000;

interface ConditionedAsset {
  readonly pid: string;
  readonly channels: readonly Channel[];
}

/**
 * Checks the conditions of writes against the channels that they name. Only channels of assets with conditions, and of those that
 * they name, are read: the channels of the others may not be parsed yet.
 *
 * @param assets all assets of the plant
 * @param documents what they were parsed from, in the same order
 * @returns the errors; paths begin with `assets`
 */
export function* findConditionFaults(
  assets: readonly ConditionedAsset[],
  documents: readonly unknown[],
): Slices<readonly Fault[]> {
  const findChannels = createFinder(assets);
  const faults: Fault[] = [];
  for (const [index, asset] of assets.entries()) {
    if (!(yield* hasConditions(documents[index]))) continue;
    for (const [position, { write }] of asset.channels.entries()) {
      const { onlyIf = [] } = write ?? {};
      if (onlyIf.length > 0) yield;
      for (const [place, condition] of onlyIf.entries()) {
        const { asset: pid = asset.pid } = condition;
        const fault = findFault({ ...condition, asset: pid }, findChannels(pid));
        if (fault === undefined) continue;
        const [field, reason] = fault;
        const path = ['assets', index, 'channels', position, 'write', 'onlyIf', place, field];
        faults.push(createFault(path, reason));
      }
    }
  }
  return faults;
}

/** Returns a function that finds the channels of an asset by its pid. */
function createFinder(
  assets: readonly ConditionedAsset[],
): (pid: string) => ReadonlyMap<string, Channel> | undefined {
  const assetOf = new Map(assets.map((asset) => [asset.pid, asset]));
  const channelsOf = new Map<string, ReadonlyMap<string, Channel>>();
  return (pid) => {
    const asset = assetOf.get(pid);
    if (asset === undefined) return undefined;
    const channels = channelsOf.get(pid) ?? new Map(asset.channels.map((channel) => [channel.name, channel]));
    channelsOf.set(pid, channels);
    return channels;
  };
}

/** Returns true if a channel of an asset, as it was written, has a condition for its writes. */
function* hasConditions(asset: unknown): Slices<boolean> {
  yield;
  const { channels = [] } = asset as { readonly channels?: readonly unknown[] };
  for (const [index, channel] of channels.entries()) {
    if (index % CHANNELS_OF_SLICE === CHANNELS_OF_SLICE - 1) yield;
    if ((channel as { readonly write?: { readonly onlyIf?: unknown } }).write?.onlyIf !== undefined)
      return true;
  }
  return false;
}

/** Returns the invalid field and the reason. */
function findFault(
  { asset, channel: name, operator, value }: WriteCondition,
  channels: ReadonlyMap<string, Channel> | undefined,
): readonly [field: string, reason: FaultReason] | undefined {
  if (channels === undefined)
    return ['asset', createReason(PLANT_FAULTS, 'ASSET_UNKNOWN', { asset: asset ?? '' })];
  const channel = channels.get(name);
  if (channel === undefined) {
    const values = { asset: asset ?? '', channel: name };
    return ['channel', createReason(PLANT_FAULTS, 'CHANNEL_OF_ASSET_UNKNOWN', values)];
  }
  if (!isReadable(channel))
    return ['channel', createReason(CHANNEL_FAULTS, 'CHANNEL_ONLY_WRITTEN', { channel: name })];
  const { valueType } = channel;
  if (parseValue(valueType, value) === undefined) {
    const values = { value: String(value), valueType };
    return ['value', createReason(PLANT_FAULTS, 'CONDITION_VALUE_UNSUITABLE', values)];
  }
  const isOrder = operator !== 'EQUALS' && operator !== 'NOT_EQUALS';
  return isOrder && !isNumeric(valueType)
    ? ['operator', createReason(CHANNEL_FAULTS, 'VALUE_TYPE_WITHOUT_ORDER', { valueType })]
    : undefined;
}
