import { createFault, createReason } from '../../base/fault-reason.ts';
import { CONFIGURATION_FAULTS } from '../fault-sentences.ts';
import type { Fault } from '../../base/schema.ts';
import type { Slices } from '../../base/slices.ts';
import { UnreadableSecret } from '../../base/key/secret-key.ts';
import type { JsonSchema } from '../document-schema.ts';
import { isDocument, nameOf } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { SchemaNode } from '../schema-node.ts';

/** Placeholder of a secret in a response; sent back, it keeps the stored secret. */
export const SECRET_MARKER = { isSet: true } as const;

// Settings of a driver that is no longer installed have no schema.
const SECRET_NAME = /password|passphrase|secret|token$|privateKey$|apiKey|credential/i;

/** True if a field's name suggests a secret: its content is hidden even without a schema. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Returns a document with each secret replaced by {@link SECRET_MARKER}.
 *
 * @param schema schema of the document; its secrets are marked `writeOnly`
 */
export function hideSecrets<T>(schema: JsonSchema, document: T): T {
  return mapSecrets(schema, document, (secret) => (secret === null ? null : SECRET_MARKER));
}

/** Hides secrets as {@link hideSecrets} does, in slices. */
export function hideSecretsInSlices(schema: JsonSchema, document: ManagedDocument): Slices<ManagedDocument> {
  return mapSecretsInSlices(schema, document, (secret) => (secret === null ? null : SECRET_MARKER));
}

/** Replaces secrets as {@link mapSecrets} does, in slices. */
export function* mapSecretsInSlices(
  schema: JsonSchema,
  document: ManagedDocument,
  replace: (secret: unknown) => unknown,
): Slices<ManagedDocument> {
  const mapped: Record<string, unknown> = {};
  for (const [section, content] of Object.entries(document)) {
    const map = (part: unknown): unknown => mapSecrets(schema, { [section]: part }, replace)[section];
    mapped[section] = Array.isArray(content) ? yield* mapItems(content, map) : map(content);
  }
  return mapped;
}

function* mapItems(
  items: readonly unknown[],
  map: (part: readonly unknown[]) => unknown,
): Slices<readonly unknown[]> {
  const mapped: unknown[] = [];
  for (const item of items) {
    yield;
    mapped.push((map([item]) as readonly unknown[])[0]);
  }
  return mapped;
}

/** Returns a document with each secret replaced; parts without secrets stay the same objects. */
export function mapSecrets<T>(schema: JsonSchema, document: T, replace: (secret: unknown) => unknown): T {
  return new SecretMapper(replace).map(new SchemaNode([schema]), document, undefined) as T;
}

/**
 * Replaces each {@link SECRET_MARKER} by the stored secret, item by item. Items of lists are matched by their pid or name, and by their
 * index where they have neither.
 *
 * @param former the document in force
 * @returns the document, an error for each marker without a stored secret, and the paths of the secrets that are kept
 */
export function* keepSecrets(
  schema: JsonSchema,
  document: unknown,
  former: unknown,
): Slices<{
  readonly document: unknown;
  readonly faults: readonly Fault[];
  readonly kept: readonly Fault['path'][];
}> {
  const faults: Fault[] = [];
  const kept: Fault['path'][] = [];
  const mapper = new SecretMapper((secret, stored, path) => {
    if (!isMarker(secret)) return secret;
    if (typeof stored === 'string' || stored instanceof UnreadableSecret) {
      kept.push(path);
      return stored;
    }
    faults.push(createFault(path, createReason(CONFIGURATION_FAULTS, 'SECRET_NOT_STORED', {})));
    return '';
  });
  const mapped = yield* mapper.mapItems(new SchemaNode([schema]), document, former);
  return { document: mapped, faults, kept };
}

/** Returns what stands for a secret; `stored` is the value at its path in the stored document. */
type Replace = (secret: unknown, stored: unknown, path: Fault['path']) => unknown;

/** Replaces the secrets of a document; parts without secrets stay the same objects. */
class SecretMapper {
  readonly #replace: Replace;
  readonly #path: (string | number)[] = [];

  constructor(replace: Replace) {
    this.#replace = replace;
  }

  map(node: SchemaNode, value: unknown, former: unknown): unknown {
    // A change leaves most of a large document alone: what is the very same has the secrets that it had.
    if (typeof value === 'object' && value === former) return value;
    const name = this.#path.at(-1);
    const isNamedSecret = node.isUnknown && typeof name === 'string' && isSecretName(name);
    if (node.isSecret || isNamedSecret) return this.#replace(value, former, [...this.#path]);
    if (Array.isArray(value)) return this.#mapList(node, value as readonly unknown[], former);
    return isDocument(value) ? this.#mapFields(node, value, former) : value;
  }

  /** Maps a document as `map` does, interruptible after each item of its lists. */
  *mapItems(root: SchemaNode, document: unknown, former: unknown): Slices<unknown> {
    if (!isDocument(document) || document === former) return this.map(root, document, former);
    const mapped: [string, unknown][] = [];
    for (const [section, content] of Object.entries(document)) {
      const stored = isDocument(former) && Object.hasOwn(former, section) ? former[section] : undefined;
      const node = root.field(section);
      // A list that no schema describes may be a secret as a whole.
      const isList = Array.isArray(content) && content !== stored && !node.isUnknown && !node.isSecret;
      const own = isList
        ? yield* this.#mapListItems(section, node.items, content, stored)
        : this.#mapInside(section, node, content, stored);
      mapped.push([section, own]);
    }
    return mapped.some(([section, own]) => own !== document[section]) ? Object.fromEntries(mapped) : document;
  }

  *#mapListItems(
    section: string,
    node: SchemaNode,
    list: readonly unknown[],
    former: unknown,
  ): Slices<readonly unknown[]> {
    const find = createFormerFinder(former);
    const mapped: unknown[] = [];
    this.#path.push(section);
    for (const [index, item] of list.entries()) {
      yield;
      mapped.push(this.#mapInside(index, node, item, find(item, index)));
    }
    this.#path.pop();
    return mapped.some((own, index) => own !== list[index]) ? mapped : list;
  }

  #mapList(node: SchemaNode, list: readonly unknown[], former: unknown): readonly unknown[] {
    const find = createFormerFinder(former);
    let mapped: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const own = this.#mapInside(index, node.items, item, find(item, index));
      if (own === item) continue;
      mapped ??= [...list];
      mapped[index] = own;
    }
    return mapped ?? list;
  }

  #mapFields(node: SchemaNode, fields: ManagedDocument, former: unknown): ManagedDocument {
    const mapped: [string, unknown][] = [];
    let hasChanged = false;
    for (const [key, field] of Object.entries(fields)) {
      const formerField = isDocument(former) && Object.hasOwn(former, key) ? former[key] : undefined;
      const own = this.#mapInside(key, node.field(key), field, formerField);
      hasChanged ||= own !== field;
      mapped.push([key, own]);
    }
    return hasChanged ? Object.fromEntries(mapped) : fields;
  }

  #mapInside(key: string | number, node: SchemaNode, value: unknown, former: unknown): unknown {
    this.#path.push(key);
    const mapped = this.map(node, value, former);
    this.#path.pop();
    return mapped;
  }
}

/** Returns a function that finds the item of a stored list that belongs to one of a document. */
function createFormerFinder(former: unknown): (item: unknown, index: number) => unknown {
  if (!Array.isArray(former)) return () => undefined;
  const items = former as readonly unknown[];
  let byName: ReadonlyMap<unknown, unknown> | undefined;
  return (item, index) => {
    const name = nameOf(item);
    if (name === undefined || nameOf(items[index]) === name) return items[index];
    // The first of those with the same name, as in every list.
    byName ??= new Map(items.toReversed().map((candidate) => [nameOf(candidate), candidate]));
    return byName.get(name);
  };
}

function isMarker(value: unknown): boolean {
  return isDocument(value) && Object.keys(value).length === 1 && value['isSet'] === true;
}
