import type { DatabaseSync } from 'node:sqlite';

import { z } from '../../base/schema.ts';
import type { Slices } from '../../base/slices.ts';
import type { TemplateContents } from '../asset-templates.ts';
import { isDocument, LIST_SECTIONS, nameOf } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import type { StoredSecrets } from './stored-secrets.ts';

/** The table of the parts, each a document with one item of a list or one section, or a template. */
export const PART_TABLE = `
  CREATE TABLE configuration_part (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    content TEXT NOT NULL
  ) STRICT;
  -- Numbers of its parts as JSON; null: an earlier release stored document and templates as a whole.
  ALTER TABLE configuration_snapshot ADD COLUMN parts TEXT;`;

/** What a snapshot consists of. */
export interface SnapshotContent {
  readonly document: ManagedDocument;
  /** Templates of its assets at that time. */
  readonly templates: TemplateContents;
}

/** Characters of the parts that one transaction stores: a few milliseconds. */
const STORED_AT_ONCE = 0x4_0000;
const INSERTION = 'INSERT INTO configuration_part (content) VALUES (?)';

const partListSchema = z.strictObject({
  /** By section: the numbers of its items, or that of the section as a whole. */
  sections: z.record(z.string(), z.union([z.int(), z.array(z.int())])),
  /** By name. */
  templates: z.record(z.string(), z.int()),
});

/** Numbers of the parts of a snapshot. */
type PartList = z.infer<typeof partListSchema>;

/** Content of a stored snapshot with the numbers of its parts; undefined: it was stored as a whole. */
export interface StoredContent extends SnapshotContent {
  readonly list: PartList | undefined;
}

interface NewPart {
  readonly text: string;
}

/** A part that is stored already, or the text of one that is not. */
type Part = number | NewPart;

/** Content whose new parts are ready to be stored. */
export interface PreparedContent {
  readonly sections: Readonly<Record<string, Part | readonly Part[]>>;
  readonly templates: Readonly<Record<string, Part>>;
}

/**
 * Stores snapshots in parts; consecutive snapshots share equal parts. The numbers of a part are in consecutive
 * snapshots only: one that returns is stored again.
 */
export class SnapshotParts {
  readonly #database: DatabaseSync;
  readonly #secrets: StoredSecrets | undefined;

  constructor(database: DatabaseSync, secrets: StoredSecrets | undefined) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /**
   * Writes the text of each part that differs from the snapshot before; changes nothing.
   *
   * @param before content of the newest snapshot; undefined: there is none
   */
  *prepare(content: SnapshotContent, before: StoredContent | undefined): Slices<PreparedContent> {
    const sections: Record<string, Part | readonly Part[]> = {};
    for (const [section, value] of Object.entries(content.document)) {
      const stored = before?.document[section];
      const number = before?.list?.sections[section];
      const write = (part: unknown): string => this.#write({ [section]: part });
      if (isList(section, value)) {
        const find = createItemFinder(stored, number);
        sections[section] = yield* prepareItems(value, find, (item) => write([item]));
      } else {
        sections[section] = preparePart(value, toStoredPart(stored, number), write);
      }
    }
    const templates: Record<string, Part> = {};
    for (const [name, value] of Object.entries(content.templates)) {
      yield;
      const stored = toStoredPart(before?.templates[name], before?.list?.templates[name]);
      templates[name] = preparePart(value, stored, JSON.stringify);
    }
    return { sections, templates };
  }

  /**
   * Stores new parts before the snapshot that has them, where they are many: one transaction for all would make others wait.
   *
   * @param transact runs work as one transaction
   */
  *storeAhead(prepared: PreparedContent, transact: (work: () => void) => void): Slices<PreparedContent> {
    const parts = [...Object.values(prepared.sections).flat(), ...Object.values(prepared.templates)];
    const texts = parts.filter((part): part is NewPart => typeof part !== 'number');
    if (texts.reduce((sum, { text }) => sum + text.length, 0) <= STORED_AT_ONCE) return prepared;
    const insert = this.#database.prepare(INSERTION);
    const numbers = new Map<Part, number>();
    for (let stored = 0; stored < texts.length;) {
      yield;
      transact(() => {
        for (let length = 0; length < STORED_AT_ONCE && stored < texts.length; stored += 1) {
          const part = texts[stored];
          if (part === undefined) break;
          numbers.set(part, Number(insert.run(part.text).lastInsertRowid));
          length += part.text.length;
        }
      });
    }
    const toNumber = (part: Part): Part => numbers.get(part) ?? part;
    return {
      sections: mapValues(prepared.sections, (part) => (isPart(part) ? toNumber(part) : part.map(toNumber))),
      templates: mapValues(prepared.templates, toNumber),
    };
  }

  /** Returns the largest number of a part; 0 if there is none. */
  findLast(): number {
    return this.#findNumber('SELECT max(id) AS number FROM configuration_part');
  }

  /** Returns the largest number of a part that a snapshot has. */
  findLastOfSnapshots(): number {
    const last = this.findLast();
    const ofNewest = this.#findNumber(
      `SELECT max(value) AS number FROM json_tree((SELECT parts FROM configuration_snapshot ORDER BY id DESC LIMIT 1))
       WHERE type = 'integer'`,
    );
    if (ofNewest >= last) return last;
    return this.#findNumber(
      `SELECT max(value) AS number FROM configuration_snapshot, json_tree(parts) AS part WHERE part.type = 'integer'`,
    );
  }

  /** Deletes the parts with larger numbers. */
  removeAfter(number: number): void {
    this.#database.prepare('DELETE FROM configuration_part WHERE id > ?').run(number);
  }

  /** Stores the new parts, within the transaction of the caller. */
  store({ sections, templates }: PreparedContent): PartList {
    const insert = this.#database.prepare(INSERTION);
    const toNumber = (part: Part): number =>
      typeof part === 'number' ? part : Number(insert.run(part.text).lastInsertRowid);
    return {
      sections: mapValues(sections, (parts) => (isPart(parts) ? toNumber(parts) : parts.map(toNumber))),
      templates: mapValues(templates, toNumber),
    };
  }

  /**
   * Reads a snapshot. A part that another content has is the same object.
   *
   * @param text the stored list of its parts
   * @throws {Error} when a part is missing or damaged
   */
  *read(text: string, other: StoredContent | undefined): Slices<StoredContent> {
    const list = partListSchema.parse(JSON.parse(text));
    const known = other === undefined ? new Map<number, unknown>() : indexParts(other);
    const select = this.#database.prepare('SELECT content FROM configuration_part WHERE id = ?');
    const load = (number: number): string => {
      const content = select.get(number)?.['content'];
      if (typeof content !== 'string') throw new Error(`part ${number} is missing`);
      return content;
    };
    const document: Record<string, unknown> = {};
    for (const [section, numbers] of Object.entries(list.sections)) {
      const parse = (number: number): unknown => this.#parse(load(number))[section];
      if (typeof numbers === 'number') {
        document[section] = known.get(numbers) ?? parse(numbers);
        continue;
      }
      const items: unknown[] = [];
      for (const number of numbers) {
        yield;
        // In its part, it is in a list with no other item.
        items.push(known.get(number) ?? (parse(number) as readonly unknown[])[0]);
      }
      document[section] = items;
    }
    const templates = mapValues(
      list.templates,
      (number) => known.get(number) ?? (JSON.parse(load(number)) as unknown),
    );
    return { document, templates, list };
  }

  /**
   * Deletes the parts of a deleted snapshot that the next one does not have.
   *
   * @param deleted stored list of its parts; null: it was stored as a whole
   */
  prune(deleted: unknown, next: unknown): void {
    if (typeof deleted !== 'string') return;
    const kept = new Set(typeof next === 'string' ? listNumbers(next) : []);
    const remove = this.#database.prepare('DELETE FROM configuration_part WHERE id = ?');
    for (const number of listNumbers(deleted)) if (!kept.has(number)) remove.run(number);
  }

  #findNumber(query: string): number {
    return Number(this.#database.prepare(query).get()?.['number'] ?? 0);
  }

  #write(document: ManagedDocument): string {
    return JSON.stringify(this.#secrets?.seal(document) ?? document);
  }

  #parse(text: string): ManagedDocument {
    const document = this.#secrets?.parse(text) ?? (JSON.parse(text) as unknown);
    if (!isDocument(document)) throw new TypeError('a part is no object');
    return document;
  }
}

/** A value of the snapshot before, and the number of its part. */
interface StoredPart {
  readonly value: unknown;
  readonly number: number;
}

function* prepareItems(
  items: readonly unknown[],
  find: (item: unknown) => StoredPart | undefined,
  write: (item: unknown) => string,
): Slices<readonly Part[]> {
  const parts: Part[] = [];
  for (const item of items) {
    yield;
    parts.push(preparePart(item, find(item), write));
  }
  return parts;
}

function preparePart(
  value: unknown,
  stored: StoredPart | undefined,
  write: (value: unknown) => string,
): Part {
  return stored !== undefined && isSame(value, stored.value) ? stored.number : { text: write(value) };
}

/** Compares texts: two secrets that cannot be read are equal, and have records of their own. */
function isSame(value: unknown, stored: unknown): boolean {
  return value === stored || JSON.stringify(value) === JSON.stringify(stored);
}

function toStoredPart(value: unknown, number: unknown): StoredPart | undefined {
  return typeof number === 'number' ? { value, number } : undefined;
}

/** Returns a function that finds the stored part of the item with the same name. */
function createItemFinder(items: unknown, numbers: unknown): (item: unknown) => StoredPart | undefined {
  if (!Array.isArray(items) || !Array.isArray(numbers)) return () => undefined;
  const byName = new Map(
    items.map((value: unknown, index) => [nameOf(value), toStoredPart(value, numbers[index])]),
  );
  return (item) => byName.get(nameOf(item));
}

function indexParts({ document, templates, list }: StoredContent): ReadonlyMap<number, unknown> {
  const index = new Map<number, unknown>();
  if (list === undefined) return index;
  for (const [section, numbers] of Object.entries(list.sections)) {
    const value = document[section];
    if (typeof numbers === 'number') index.set(numbers, value);
    else for (const [at, number] of numbers.entries()) index.set(number, (value as readonly unknown[])[at]);
  }
  for (const [name, number] of Object.entries(list.templates)) index.set(number, templates[name]);
  return index;
}

function listNumbers(text: string): readonly number[] {
  const { sections, templates } = partListSchema.parse(JSON.parse(text));
  return [...Object.values(sections).flat(), ...Object.values(templates)];
}

function isList(section: string, value: unknown): value is readonly unknown[] {
  return (LIST_SECTIONS as readonly string[]).includes(section) && Array.isArray(value);
}

function isPart(parts: Part | readonly Part[]): parts is Part {
  return !Array.isArray(parts);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
