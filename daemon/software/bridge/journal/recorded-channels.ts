import { createHash } from 'node:crypto';

import { isReadable, isWritable } from '../../../channel/channel.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import type { WireRecordedChannels } from '../../bundle/message/journal-columns.ts';
import type { RecordedChannel } from '../../bundle/runner/context.ts';

/** Maximum number of channels in a message, which has room for the longest names. */
const PAGE_CHANNELS = 1000;

/** An asset as a recorder is configured to take it. */
interface RecordedAsset {
  readonly asset: string;
  /** Undefined: all channels. */
  readonly channels?: readonly string[] | undefined;
}

/** Lists the enabled channels that a recorder takes and the caller may read, in configuration order. */
export function listRecordedChannels(
  assets: readonly RecordedAsset[],
  access: Pick<AssetAccess, 'list' | 'open'>,
  caller: Principal,
): readonly RecordedChannel[] {
  const wanted = new Map(assets.map(({ asset, channels }) => [asset, channels]));
  return access.list(caller).flatMap(({ config: { pid: asset } }) => {
    if (!wanted.has(asset)) return [];
    const names = wanted.get(asset);
    const granted = access.open(caller, asset);
    const writable = new Set(granted.listWritable().filter(isWritable));
    return granted
      .listReadable()
      .filter((channel) => channel.isEnabled && isReadable(channel))
      .filter(({ name }) => names === undefined || names.includes(name))
      .map((channel) => ({
        asset,
        channel: channel.name,
        valueType: channel.valueType,
        unit: channel.unit,
        minimum: channel.write?.minimum,
        maximum: channel.write?.maximum,
        isWritable: writable.has(channel),
      }));
  });
}

/**
 * Returns a page of a list.
 *
 * @param from index of its first channel; a caller that has the revision already gets none
 */
export function pageOf(
  all: readonly RecordedChannel[],
  { from = 0, known }: { readonly from?: number | undefined; readonly known?: string | undefined },
): WireRecordedChannels {
  const revision = createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 22);
  if (revision === known) return { revision, total: all.length, channels: [] };
  return { revision, total: all.length, channels: all.slice(from, from + PAGE_CHANNELS) };
}
