import type { Fault } from '../base/schema.ts';
import { finish } from '../base/slices.ts';
import type { Slices } from '../base/slices.ts';
import { isDocument } from './managed-document.ts';

// Far above the needs of a plant: larger documents are refused before their errors, copies and plans take many times as
// much memory.
const MAXIMUM_KEYS = 100;
const MAXIMUM_ITEMS = 10_000;
const MAXIMUM_CHANNELS = 100_000;
const MAXIMUM_VALUES_OF_SECTION = 20_000;
const MAXIMUM_VALUES_OF_ITEM = 5000;
const MAXIMUM_VALUES_OF_CHANNEL = 500;

/**
 * Finds the first part of a document that exceeds the limits.
 *
 * @param document plain data, unchecked
 */
export function* findOversizedPart(document: unknown): Slices<Fault | undefined> {
  if (!isDocument(document)) return refuse(document, MAXIMUM_KEYS, []);
  const { drivers, assets, ...sections } = document;
  const names = Object.keys(sections);
  if (names.length > MAXIMUM_KEYS) return tooMany([], MAXIMUM_KEYS, 'keys');
  return (
    (yield* findFirst(names, (name) => refuse(sections[name], MAXIMUM_VALUES_OF_SECTION, [name]))) ??
    (yield* findInList(drivers, MAXIMUM_ITEMS, ['drivers'], (driver, path) =>
      refuse(driver, MAXIMUM_VALUES_OF_ITEM, path),
    )) ??
    (yield* findInList(assets, MAXIMUM_ITEMS, ['assets'], (asset, path) => finish(findInAsset(asset, path))))
  );
}

function* findInAsset(asset: unknown, path: Fault['path']): Slices<Fault | undefined> {
  if (!isDocument(asset)) return refuse(asset, MAXIMUM_VALUES_OF_ITEM, path);
  const { channels, ...outline } = asset;
  return (
    refuse(outline, MAXIMUM_VALUES_OF_ITEM, path) ??
    (yield* findInList(channels, MAXIMUM_CHANNELS, [...path, 'channels'], (channel, channelPath) =>
      refuse(channel, MAXIMUM_VALUES_OF_CHANNEL, channelPath),
    ))
  );
}

function* findInList(
  list: unknown,
  maximum: number,
  path: Fault['path'],
  findInItem: (item: unknown, path: Fault['path']) => Fault | undefined,
): Slices<Fault | undefined> {
  if (!Array.isArray(list)) return refuse(list, MAXIMUM_VALUES_OF_ITEM, path);
  if (list.length > maximum) return tooMany(path, maximum, 'items');
  return yield* findFirst([...list.keys()], (index) => findInItem(list[index], [...path, index]));
}

function* findFirst<T>(
  candidates: readonly T[],
  find: (candidate: T) => Fault | undefined,
): Slices<Fault | undefined> {
  for (const candidate of candidates) {
    yield;
    const fault = find(candidate);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function refuse(value: unknown, maximum: number, path: Fault['path']): Fault | undefined {
  return countUpTo(value, maximum) > maximum ? tooMany(path, maximum, 'values') : undefined;
}

function tooMany(path: Fault['path'], maximum: number, what: string): Fault {
  return { path, message: `expected at most ${maximum} ${what}` };
}

/** Counts a value and those inside it; stops beyond `maximum`. */
function countUpTo(value: unknown, maximum: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += countUpTo((value as Readonly<Record<string, unknown>>)[key], maximum - count);
    if (count > maximum) break;
  }
  return count;
}
