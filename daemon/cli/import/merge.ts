import { isDeepStrictEqual } from 'node:util';

import { CommandError } from '../command-error.ts';
import type { Imported, Item } from './imported.ts';

/** Document of the managed configuration, with the positions of the imported items. */
export interface MergedDocument {
  readonly document: Item;
  /** Index in `drivers` of each imported driver. */
  readonly driverIndexes: readonly number[];
  /** Index in `assets` of each imported asset. */
  readonly assetIndexes: readonly number[];
}

interface MergedList {
  readonly items: readonly unknown[];
  readonly indexes: readonly number[];
}

/**
 * Merges imported items into a document.
 *
 * @param mayReplace true: replaces items with the same pid; of assets, only channels, driver and fields of the file
 * @throws {CommandError} `ITEM_EXISTS` for another driver or asset with the same pid
 */
export function mergeInto(
  document: Item,
  { drivers, assets, rest }: Imported,
  mayReplace: boolean,
): MergedDocument {
  const mergedDrivers = mergeList(
    document['drivers'],
    drivers.map(({ driver }) => driver),
    (before) => refuseOther('driver', before, mayReplace),
  );
  const mergedAssets = mergeList(
    document['assets'],
    assets.map(({ asset, channels }) => ({ ...asset, channels: channels.map(({ channel }) => channel) })),
    (before, item) => {
      const { channels = [] } = before;
      const isEmpty = Array.isArray(channels) && channels.length === 0 && before['template'] === undefined;
      // An empty asset, created for the channels of a list.
      if (!isEmpty || before['driver'] !== item['driver']) refuseOther('asset', before, mayReplace);
      const { template: _template, parameters: _parameters, ...own } = before;
      return own;
    },
  );
  return {
    document: {
      ...document,
      ...(rest === undefined ? {} : { rest: { ...(document['rest'] as Item | undefined), ...rest } }),
      drivers: mergedDrivers.items,
      assets: mergedAssets.items,
    },
    driverIndexes: mergedDrivers.indexes,
    assetIndexes: mergedAssets.indexes,
  };
}

/** Returns an item of a document by its pid. */
export function findItem(list: unknown, pid: unknown): Item | undefined {
  return listOf(list).find((item) => item['pid'] === pid);
}

function mergeList(
  list: unknown,
  added: readonly Item[],
  base: (before: Item, item: Item) => Item,
): MergedList {
  const items = [...listOf(list)];
  const places = new Map(items.map(({ pid }, index) => [pid, index]));
  const indexes = added.map((item) => {
    const index = places.get(item['pid']);
    const before = index === undefined ? undefined : items[index];
    if (index === undefined || before === undefined) {
      places.set(item['pid'], items.length);
      return items.push(item) - 1;
    }
    if (!isDeepStrictEqual(before, item)) items[index] = { ...base(before, item), ...item };
    return index;
  });
  return { items, indexes };
}

function refuseOther(kind: string, { pid }: Item, mayReplace: boolean): Item {
  if (mayReplace) return {};
  const detail = `another ${kind} "${String(pid)}" already exists; replace it with --replace`;
  throw new CommandError({ code: 'ITEM_EXISTS', detail });
}

function listOf(list: unknown): readonly Item[] {
  return Array.isArray(list) ? (list as readonly Item[]) : [];
}
