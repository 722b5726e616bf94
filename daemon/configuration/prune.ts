import { isDocument } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';
import type { PartName } from './provision-origins.ts';

/**
 * Removes parts from a document: items of lists, and settings by their keys. A section or object that is empty afterwards is
 * removed as well, so that its default applies.
 */
export function removeParts(document: ManagedDocument, parts: readonly PartName[]): ManagedDocument {
  return parts.reduce<ManagedDocument>((rest, part) => withoutKey(rest, part), document);
}

function withoutKey(object: ManagedDocument, [key = '', ...inner]: readonly string[]): ManagedDocument {
  const { [key]: value, ...others } = object;
  const left = inner.length === 0 ? undefined : withoutInner(value, inner);
  if (left === undefined) return others;
  return { ...object, [key]: left };
}

function withoutInner(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).filter(
      (item) => !isDocument(item) || item['pid'] !== keys[0],
    );
    return items.length === 0 ? undefined : items;
  }
  if (!isDocument(value)) return value;
  const left = withoutKey(value, keys);
  return Object.keys(left).length === 0 ? undefined : left;
}
