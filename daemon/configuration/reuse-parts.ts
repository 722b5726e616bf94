import { isDeepStrictEqual } from 'node:util';

import type { Slices } from '../base/slices.ts';
import { isDocument, LIST_SECTIONS, nameOf } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';

/**
 * Replaces each item of a document by the item of the same name in the active document if both are equal. Such an item needs no
 * check, and comparing it costs nothing.
 *
 * @param document plain data, unchecked; not modified
 */
export function* reuseParts(document: unknown, active: ManagedDocument): Slices<unknown> {
  if (!isDocument(document)) return document;
  const reused: Record<string, unknown> = { ...document };
  for (const section of LIST_SECTIONS) {
    if (Object.hasOwn(document, section)) {
      reused[section] = yield* reuseItems(document[section], active[section], reuseItem);
    }
  }
  return reused;
}

/** Replaces equal items of a list; returns the active list itself if nothing differs. */
function* reuseItems(
  list: unknown,
  active: unknown,
  reuse: (item: unknown, active: unknown) => Slices<unknown>,
): Slices<unknown> {
  if (list === active || !Array.isArray(list) || !Array.isArray(active)) return list;
  const [items, activeItems] = [list as readonly unknown[], active as readonly unknown[]];
  const activeOf = new Map(activeItems.map((item) => [nameOf(item), item]));
  const reused: unknown[] = [];
  for (const item of items) reused.push(yield* reuse(item, activeOf.get(nameOf(item))));
  const isSame =
    items.length === activeItems.length && activeItems.every((item, index) => item === reused[index]);
  return isSame ? activeItems : reused;
}

function* reuseItem(item: unknown, active: unknown): Slices<unknown> {
  if (item === active || !isDocument(item) || !isDocument(active)) return item;
  const channels = yield* reuseItems(item['channels'], active['channels'], reuseEqual);
  // With the same list, the comparison does not walk through its channels again.
  const own = channels === item['channels'] ? item : { ...item, channels };
  return yield* reuseEqual(own, active);
}

function* reuseEqual(value: unknown, active: unknown): Slices<unknown> {
  yield;
  return isDeepStrictEqual(value, active) ? active : value;
}
