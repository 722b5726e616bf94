import { shownListedAsset } from '../../parts/connection-state.ts';
import type { AssetHead } from '../assets/use-assets.ts';

/** Assets that are not listed, with the state that they share. */
interface FoldedAssets {
  readonly words: string;
  readonly count: number;
}

/** Assets to list, in order, and the others. */
interface ArrangedAssets {
  readonly rows: readonly AssetHead[];
  readonly folded: readonly FoldedAssets[];
}

interface Arrangement {
  /** Part of a pid, display name or connection; empty: all. */
  readonly filter: string;
  /** True to list assets without trouble, too. */
  readonly isWhole: boolean;
}

// A list that fits on the screen is not folded.
const FOLDED_FROM = 13;

/** Arranges assets: troubled ones first, each group in the order of the configuration; a filter finds folded ones, too. */
export function arrangeAssets(
  assets: readonly AssetHead[],
  { filter, isWhole }: Arrangement,
): ArrangedAssets {
  const sought = filter.trim().toLowerCase();
  const found = sought === '' ? assets : assets.filter((head) => textOf(head).includes(sought));
  const troubled = found.filter(isTroubled);
  const others = found.filter((head) => !isTroubled(head));
  if (isWhole || sought !== '' || assets.length < FOLDED_FROM)
    return { rows: [...troubled, ...others], folded: [] };
  const counts = new Map<string, number>();
  for (const { status } of others) {
    const { words } = shownListedAsset(status);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return { rows: troubled, folded: [...counts].map(([words, count]) => ({ words, count })) };
}

function isTroubled({ status }: AssetHead): boolean {
  const { tone } = shownListedAsset(status);
  return tone === 'attention' || tone === 'fault';
}

function textOf({ pid, status: { displayName = '', driver } }: AssetHead): string {
  return `${pid} ${displayName} ${driver.pid}`.toLowerCase();
}
