import { runInSlices } from '../../../base/slices.ts';
import type { SliceClock, Slices } from '../../../base/slices.ts';
import { searchAssets } from '../../../interface/plant/asset-search.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { GrantedAsset } from '../../../plant/access/granted-asset.ts';
import type { AssetConfig } from '../../../plant/asset/plant-config.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';

type FoundEntry = ResultOf<typeof searchAssets>[number];

const CHANNELS_OF_SLICE = 50;

/** Creates the endpoint that finds assets and channels by their names, without requests to devices. */
export function createAssetSearchRoutes(
  access: Pick<AssetAccess, 'list' | 'open'>,
  clock: SliceClock,
): readonly Route[] {
  return [
    implement(searchAssets, async ({ principal, query: { text, limit } }) => {
      const caller = callerOf({ principal });
      // Opened before the first slice: an asset may be removed between two.
      const assets = access.list(caller).map(({ config }) => ({
        config,
        opened: access.open(caller, config.pid),
      }));
      return ok(await runInSlices(search(assets, text, limit), clock));
    }),
  ];
}

interface SearchedAsset {
  readonly config: Pick<AssetConfig, 'pid' | 'displayName'>;
  readonly opened: Pick<GrantedAsset, 'listChannels'>;
}

/** Lists the entries of the best ranks; those of a rank in configuration order. */
function* search(
  assets: readonly SearchedAsset[],
  text: string,
  limit: number,
): Slices<readonly FoundEntry[]> {
  const words = text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter((word) => word !== '');
  const ranks: FoundEntry[][] = [];
  const note = (entry: FoundEntry): void => {
    const rank = rankOf(words, entry);
    if (rank === undefined) return;
    const ranked = (ranks[rank] ??= []);
    if (ranked.length < limit) ranked.push(entry);
  };
  for (const { config, opened } of assets) {
    yield;
    const { pid: asset, displayName } = config;
    note({ asset, ...(displayName === undefined ? {} : { displayName }) });
    for (const [index, channel] of opened.listChannels().entries()) {
      if (index % CHANNELS_OF_SLICE === 0) yield;
      const { name, unit } = channel;
      note({
        asset,
        channel: name,
        ...(channel.displayName === undefined ? {} : { displayName: channel.displayName }),
        ...(unit === undefined ? {} : { unit }),
      });
    }
  }
  return ranks.flat().slice(0, limit);
}

/** Returns the rank of an entry: names that begin with the text first, then assets, then channels; undefined: not found. */
function rankOf(
  words: readonly string[],
  { asset, channel, displayName = '' }: FoundEntry,
): number | undefined {
  const names = [channel ?? asset, displayName].map((name) => name.toLowerCase());
  const text = `${asset.toLowerCase()} ${names.join(' ')}`;
  // A channel is not found by the name of its asset alone.
  const isNamed = words.some((word) => names.some((name) => name.includes(word)));
  if (!isNamed || !words.every((word) => text.includes(word))) return undefined;
  const begins = names.some((name) => name.startsWith(words.join(' ')));
  return (begins ? 0 : 2) + (channel === undefined ? 0 : 1);
}
