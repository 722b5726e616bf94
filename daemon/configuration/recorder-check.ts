import { createFault, createReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { CHANNEL_FAULTS } from '../channel/fault-sentences.ts';
import { PLANT_FAULTS } from '../plant/asset/fault-sentences.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { findNearestKey } from '../base/key/key-hint.ts';
import type { Fault } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import { isReadable } from '../channel/channel.ts';
import type { Channel } from '../channel/channel.ts';
import type { Plant } from '../plant/asset/plant-config.ts';
import type { RecorderSettings } from '../settings/recorder-settings.ts';

const MAXIMUM_FAULTS = 100;
const CHANNELS_OF_SLICE = 50;

/** Lists the recorded assets and channels that do not exist or cannot be read; the first hundred. */
export function* findRecorderFaults(
  recorders: readonly RecorderSettings[],
  { assets }: Plant,
): Slices<readonly Fault[]> {
  if (recorders.length === 0) return [];
  const assetOf = new Map(assets.map((asset) => [asset.pid, asset]));
  const faults: Fault[] = [];
  for (const [index, recorder] of recorders.entries()) {
    for (const [position, { asset: pid, channels = [] }] of recorder.assets.entries()) {
      if (faults.length >= MAXIMUM_FAULTS) return faults;
      const path = ['recorders', index, 'assets', position];
      const asset = assetOf.get(pid);
      if (asset === undefined) {
        const unknown = createReason(PLANT_FAULTS, 'ASSET_UNKNOWN', { asset: pid });
        faults.push(createFault([...path, 'asset'], unknown, ...suggest(pid, [...assetOf.keys()])));
        continue;
      }
      yield;
      // Without a list, all of them are recorded, and may not be parsed yet.
      if (channels.length === 0) continue;
      const channelOf = new Map(asset.channels.map((channel) => [channel.name, channel]));
      for (const [place, name] of channels.entries()) {
        if (faults.length >= MAXIMUM_FAULTS) return faults;
        if (place % CHANNELS_OF_SLICE === CHANNELS_OF_SLICE - 1) yield;
        const reasons = findChannelReasons(pid, channelOf, name);
        if (reasons.length > 0) faults.push(createFault([...path, 'channels', place], ...reasons));
      }
    }
  }
  return faults;
}

function findChannelReasons(
  asset: string,
  channelOf: ReadonlyMap<string, Channel>,
  name: string,
): readonly FaultReason[] {
  const channel = channelOf.get(name);
  if (channel === undefined) {
    const unknown = createReason(PLANT_FAULTS, 'CHANNEL_OF_ASSET_UNKNOWN', { asset, channel: name });
    return [unknown, ...suggest(name, [...channelOf.keys()])];
  }
  return isReadable(channel) ? [] : [createReason(CHANNEL_FAULTS, 'CHANNEL_ONLY_WRITTEN', { channel: name })];
}

function suggest(name: string, known: readonly string[]): readonly FaultReason[] {
  const nearest = findNearestKey(name, known);
  return nearest === undefined ? [] : [createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest })];
}
