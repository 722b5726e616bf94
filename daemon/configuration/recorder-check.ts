import { findNearestKey } from '../base/key/key-hint.ts';
import type { Fault } from '../base/schema.ts';
import { isReadable } from '../channel/channel.ts';
import type { AssetConfig, Plant } from '../plant/asset/plant-config.ts';
import type { RecorderSettings } from '../settings/recorder-settings.ts';

const MAXIMUM_FAULTS = 100;

/** Lists the recorded assets and channels that do not exist or cannot be read. */
export function findRecorderFaults(
  recorders: readonly RecorderSettings[],
  { assets }: Plant,
): readonly Fault[] {
  if (recorders.length === 0) return [];
  const assetOf = new Map(assets.map((asset) => [asset.pid, asset]));
  const faults: Fault[] = [];
  for (const [index, recorder] of recorders.entries()) {
    for (const [position, { asset: pid, channels = [] }] of recorder.assets.entries()) {
      const path = ['recorders', index, 'assets', position];
      const asset = assetOf.get(pid);
      if (asset === undefined) {
        faults.push({
          path: [...path, 'asset'],
          message: describeUnknown('asset', pid, [...assetOf.keys()]),
        });
        continue;
      }
      for (const [place, name] of channels.entries()) {
        const message = findChannelFault(asset, name);
        if (message !== undefined) faults.push({ path: [...path, 'channels', place], message });
      }
    }
  }
  return faults.slice(0, MAXIMUM_FAULTS);
}

function findChannelFault({ pid, channels }: AssetConfig, name: string): string | undefined {
  const channel = channels.find((each) => each.name === name);
  if (channel === undefined)
    return `asset "${pid}": ${describeUnknown(
      'channel',
      name,
      channels.map((each) => each.name),
    )}`;
  return isReadable(channel) ? undefined : `channel "${name}" can only be written`;
}

function describeUnknown(kind: string, name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  return `unknown ${kind} "${name}"${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}
