import { searchAssets } from '../../../interface/plant/asset-search.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';

type FoundEntry = ResultOf<typeof searchAssets>[number];

/** Creates the endpoint that finds assets and channels by their names, without requests to devices. */
export function createAssetSearchRoutes(access: Pick<AssetAccess, 'list' | 'open'>): readonly Route[] {
  return [
    implement(searchAssets, ({ principal, query: { text, limit } }) => {
      const caller = callerOf({ principal });
      const words = text
        .toLowerCase()
        .split(/[\s/]+/)
        .filter((word) => word !== '');
      const found: [rank: number, entry: FoundEntry][] = [];
      for (const { config } of access.list(caller)) {
        const { pid: asset, displayName } = config;
        note(found, words, { asset, ...(displayName === undefined ? {} : { displayName }) });
        for (const channel of access.open(caller, asset).listChannels()) {
          const { name, unit } = channel;
          note(found, words, {
            asset,
            channel: name,
            ...(channel.displayName === undefined ? {} : { displayName: channel.displayName }),
            ...(unit === undefined ? {} : { unit }),
          });
        }
      }
      // Stable: entries of a rank stay in configuration order.
      const ranked = found.toSorted(([one], [other]) => one - other);
      return ok(ranked.slice(0, limit).map(([, entry]) => entry));
    }),
  ];
}

function note(found: [number, FoundEntry][], words: readonly string[], entry: FoundEntry): void {
  const rank = rankOf(words, entry);
  if (rank !== undefined) found.push([rank, entry]);
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
