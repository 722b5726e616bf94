import { isDeepStrictEqual } from 'node:util';

import type { Slices } from '../../base/slices.ts';
import { hideCredentials } from '../../base/text/hide-credentials.ts';
import type { JsonSchema } from '../document-schema.ts';
import { isDocument, LIST_SECTIONS, OBJECT_SECTIONS, nameOf } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { SchemaNode } from '../schema-node.ts';
import { isSecretName } from './secrets.ts';

/** One changed configuration key, without secrets. */
export interface RecordedChange {
  /** Keys with slashes between, those of lists by pid or name: `assets/boiler/channels/flow/valueScale`. */
  readonly path: string;
  /** Former value as JSON, strings verbatim; absent: not set. */
  readonly old?: string | undefined;
  /** New value as JSON, strings verbatim; absent: removed. */
  readonly new?: string | undefined;
  /** Change of a secret, instead of its values. */
  readonly secret?: 'set' | 'changed' | 'removed' | undefined;
}

/** Recorded changes of the configuration. */
export interface RecordedChanges {
  readonly changes: readonly RecordedChange[];
  /** Changes beyond the bounds. */
  readonly omitted: number;
}

/** Maximum recorded keys of one configuration change. */
export const CHANGES_RECORDED = 100;
/** Maximum recorded keys per driver, asset or other item, so that one item does not hide the others. */
export const CHANGES_PER_ITEM = 20;

export const NO_CHANGES: RecordedChanges = { changes: [], omitted: 0 };

/**
 * Lists the keys that differ between two documents: settings of the gateway first, then drivers, then assets.
 *
 * @param schema of the documents; its secrets are marked `writeOnly`
 */
export function* recordChanges(
  schema: JsonSchema,
  before: ManagedDocument,
  after: ManagedDocument,
): Slices<RecordedChanges> {
  const changes: RecordedChange[] = [];
  let omitted = 0;
  const root = new SchemaNode([schema]);
  for (const section of [...OBJECT_SECTIONS, ...LIST_SECTIONS]) {
    const position = { node: root.field(section), path: section, name: section };
    const sides = { ...position, before: before[section], after: after[section] };
    const isOne = isDocument(sides.before ?? sides.after);
    for (const item of isOne ? [sides] : listInside(sides)) {
      const room = CHANGES_RECORDED - changes.length;
      const collector = new Collector(isOne ? room : Math.min(CHANGES_PER_ITEM, room));
      yield* collector.walk(item);
      changes.push(...collector.changes);
      omitted += collector.omitted;
    }
  }
  return { changes, omitted };
}

/** One position in both documents. */
interface Sides {
  readonly node: SchemaNode;
  /** Its last key. */
  readonly name: string;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

class Collector {
  readonly changes: RecordedChange[] = [];
  omitted = 0;
  readonly #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  *walk(sides: Sides): Slices<void> {
    yield;
    const { before, after, node, name, path } = sides;
    if (isDeepStrictEqual(before, after)) return;
    if (node.isSecret || (isSecretName(name) && (node.isUnknown || isText(before) || isText(after)))) {
      this.#add(path, () => ({ secret: describeSecret(before, after) }));
      return;
    }
    if (isContainer(before) || isContainer(after)) {
      for (const inside of listInside(sides)) yield* this.walk(inside);
    }
    if (isShown(before) || isShown(after)) this.#add(path, () => ({ old: show(before), new: show(after) }));
  }

  /** @param describe called only while there is room: a change of a whole plant has a million keys */
  #add(path: string, describe: () => Omit<RecordedChange, 'path'>): void {
    if (this.changes.length >= this.#room) {
      this.omitted += 1;
      return;
    }
    const known = Object.entries(describe()).filter(([, value]) => value !== undefined);
    this.changes.push({ path: hideCredentials(path), ...Object.fromEntries(known) });
  }
}

function describeSecret(before: unknown, after: unknown): RecordedChange['secret'] {
  if (before === undefined || before === null) return 'set';
  return after === undefined || after === null ? 'removed' : 'changed';
}

/** Lists the children of two containers, each position once; other values have none. */
function listInside({ node, path, before, after }: Sides): readonly Sides[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  const isList = Array.isArray(before ?? after);
  return [...new Set([...one.keys(), ...other.keys()])].map((name) => ({
    node: isList ? node.items : node.field(name),
    name,
    path: `${path}/${name}`,
    before: one.get(name),
    after: other.get(name),
  }));
}

const NO_FIELDS: ReadonlyMap<string, unknown> = new Map();

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  if (Array.isArray(value) && isContainer(value)) {
    const items = value as readonly unknown[];
    const names = items.map(nameOf);
    const isNamed = names.every(isText) && new Set(names).size === names.length;
    return new Map(items.map((item, index) => [String(isNamed ? names[index] : index), item]));
  }
  return isDocument(value) ? new Map(Object.entries(value)) : NO_FIELDS;
}

/** True if a value is shown by its parts: an object, or a list with objects or lists. */
function isContainer(value: unknown): boolean {
  if (Array.isArray(value)) return (value as readonly unknown[]).some((item) => typeof item === 'object');
  return isDocument(value) && Object.keys(value).length > 0;
}

/** True if a value is shown as a whole. */
function isShown(value: unknown): boolean {
  return value !== undefined && !isContainer(value);
}

function show(value: unknown): string | undefined {
  if (!isShown(value)) return undefined;
  return hideCredentials(isText(value) ? value : JSON.stringify(value));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
