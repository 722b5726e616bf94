import { isDeepStrictEqual } from 'node:util';

import type { Slices } from '../base/slices.ts';
import { isDocument, LIST_SECTIONS } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';

/**
 * Returns a document in which every item that equals the one of the same name in another document is that very object: it needs
 * no check, and a comparison costs nothing.
 *
 * @param document plain data, unchecked; not modified
 */
export function* reuseParts(document: unknown, former: ManagedDocument): Slices<unknown> {
  if (!isDocument(document)) return document;
  const reused: Record<string, unknown> = { ...document };
  for (const section of LIST_SECTIONS) {
    if (Object.hasOwn(document, section)) {
      reused[section] = yield* reuseItems(document[section], former[section], reuseItem);
    }
  }
  return reused;
}

/** Returns the list with items of the former list; the former list itself if all of them are the same in the same order. */
function* reuseItems(
  list: unknown,
  former: unknown,
  reuse: (item: unknown, former: unknown) => Slices<unknown>,
): Slices<unknown> {
  if (list === former || !Array.isArray(list) || !Array.isArray(former)) return list;
  const [items, formerItems] = [list as readonly unknown[], former as readonly unknown[]];
  const formerOf = new Map(formerItems.map((item) => [nameOf(item), item]));
  const reused: unknown[] = [];
  for (const item of items) reused.push(yield* reuse(item, formerOf.get(nameOf(item))));
  const isSame =
    items.length === formerItems.length && formerItems.every((item, index) => item === reused[index]);
  return isSame ? formerItems : reused;
}

function* reuseItem(item: unknown, former: unknown): Slices<unknown> {
  if (item === former || !isDocument(item) || !isDocument(former)) return item;
  const channels = yield* reuseItems(item['channels'], former['channels'], reuseEqual);
  // With the same list, the comparison does not walk through its channels again.
  const own = channels === item['channels'] ? item : { ...item, channels };
  return yield* reuseEqual(own, former);
}

function* reuseEqual(value: unknown, former: unknown): Slices<unknown> {
  yield;
  return isDeepStrictEqual(value, former) ? former : value;
}

function nameOf(item: unknown): unknown {
  return isDocument(item) ? (item['pid'] ?? item['name']) : undefined;
}
