import { placeFault } from '../../base/fault-reason.ts';
import type { Fault } from '../../base/schema.ts';
import type { LocatedFault } from '../../settings/settings-error.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import { isDocument, LIST_SECTIONS, OBJECT_SECTIONS } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import type { ProvisionDocument, ProvisionedIdentity, ProvisionedItem } from './provision-document.ts';

/** A provision source whose outline was checked. */
export interface CheckedSource {
  readonly source: Pick<ProvisionSource, 'locate'>;
  readonly document: ProvisionDocument;
}

/** Requested identity with its position in the source. */
export interface RequestedIdentity {
  readonly identity: ProvisionedIdentity;
  /** Returns the position of an error inside the identity. */
  readonly locate: (fault: Fault) => LocatedFault;
}

/** A document after the merge. */
export interface MergedProvision {
  readonly document: ManagedDocument;
  readonly identities: readonly RequestedIdentity[];
  /**
   * Returns the position in a source of an error in the document; undefined when that part comes from no source.
   */
  locate(fault: Fault): LocatedFault | undefined;
}

/** Source and path of a part of the merged document. */
interface Origin {
  readonly source: Pick<ProvisionSource, 'locate'>;
  readonly path: Fault['path'];
}

type Origins = Map<string, Origin>;

/**
 * Merges provision sources into a document, in their order; later ones win.
 *
 * Sections that are objects are merged key by key, objects inside them as well; a list inside them is one value. Items
 * of `drivers` and `assets` replace the item with the same pid at its position, or are appended; nothing is ever removed.
 *
 * @param document is not modified
 */
export function mergeProvisions(
  document: ManagedDocument,
  sources: readonly CheckedSource[],
): MergedProvision {
  const origins: Origins = new Map();
  const merged: Record<string, unknown> = { ...document };
  for (const { source, document: provision } of sources) {
    for (const section of OBJECT_SECTIONS) {
      const patch = provision[section];
      if (patch === undefined) continue;
      merged[section] = mergeObject(merged[section], patch, { source, path: [section] }, origins);
    }
    for (const section of LIST_SECTIONS) {
      const items = provision[section];
      if (items === undefined) continue;
      merged[section] = mergeItems(merged[section], items, { source, path: [section] }, origins);
    }
  }
  return {
    document: merged,
    identities: sources.flatMap(listIdentities),
    locate: (fault) => locate(origins, fault),
  };
}

function mergeObject(
  target: unknown,
  patch: Readonly<Record<string, unknown>>,
  { source, path }: Origin,
  origins: Origins,
): Readonly<Record<string, unknown>> {
  const before = isDocument(target) ? target : {};
  const entries = Object.entries(patch).map(([key, value]) => {
    const inside = { source, path: [...path, key] };
    origins.set(JSON.stringify(inside.path), inside);
    return [key, isDocument(value) ? mergeObject(before[key], value, inside, origins) : value] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}

function mergeItems(
  target: unknown,
  items: readonly ProvisionedItem[],
  { source, path }: Origin,
  origins: Origins,
): readonly unknown[] {
  const merged: unknown[] = Array.isArray(target) ? [...(target as readonly unknown[])] : [];
  const positionOf = new Map(
    merged.map((item, position) => [isDocument(item) ? item['pid'] : undefined, position]),
  );
  for (const [index, item] of items.entries()) {
    const position = positionOf.get(item.pid) ?? merged.length;
    merged[position] = item;
    positionOf.set(item.pid, position);
    origins.set(JSON.stringify([...path, position]), { source, path: [...path, index] });
  }
  return merged;
}

function listIdentities({ source, document }: CheckedSource): readonly RequestedIdentity[] {
  return document.identities.map((identity, index) => ({
    identity,
    locate: (fault) => source.locate(placeFault(['identities', index], fault)),
  }));
}

function locate(origins: Origins, { path, ...fault }: Fault): LocatedFault | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const origin = origins.get(JSON.stringify(path.slice(0, length)));
    if (origin === undefined) continue;
    return origin.source.locate({ ...fault, path: [...origin.path, ...path.slice(length)] });
  }
  return undefined;
}
