import type { DatabaseSync } from 'node:sqlite';

import { finish } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import { StoreError } from '../../base/store/store.ts';
import type { Store } from '../../base/store/store.ts';
import { isDocument } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { SnapshotParts } from './snapshot-parts.ts';
import type { PreparedContent, SnapshotContent, StoredContent } from './snapshot-parts.ts';
import type { StoredSecrets } from './stored-secrets.ts';

/**
 * Reads and stores the contents of snapshots: in parts, and as a whole where an earlier release stored them. The newest content
 * is at hand while something holds its document, because a change reads it several times.
 */
export class SnapshotContents {
  readonly #store: Pick<Store, 'database' | 'quickTransaction'>;
  readonly #database: DatabaseSync;
  readonly #secrets: StoredSecrets | undefined;
  readonly #parts: SnapshotParts;
  #newest: { readonly id: number; readonly document: WeakRef<ManagedDocument> } | undefined;
  readonly #contents = new WeakMap<ManagedDocument, StoredContent>();
  /** Result of `prepare`, and the number of the snapshot that it was compared with. */
  #prepared:
    | { readonly content: SnapshotContent; readonly basis: number; readonly parts: PreparedContent }
    | undefined;

  /**
   * Parts with larger numbers belong to no snapshot, since it was not stored after them; undefined: there are none.
   * At first, those of an earlier process, if any.
   */
  #orphansAfter: number | 'OF_SNAPSHOTS' | undefined = 'OF_SNAPSHOTS';

  constructor(store: Pick<Store, 'database' | 'quickTransaction'>, secrets: StoredSecrets | undefined) {
    this.#store = store;
    this.#database = store.database;
    this.#secrets = secrets;
    this.#parts = new SnapshotParts(store.database, secrets);
  }

  /** Returns the number of the newest snapshot; 0 if there is none. */
  findNewestId(): number {
    const row = this.#database.prepare('SELECT max(id) AS id FROM configuration_snapshot').get();
    return Number(row?.['id'] ?? 0);
  }

  /**
   * Reads the content of a snapshot; a part that the newest one has is the same object.
   *
   * @returns undefined if the snapshot does not exist, or is deleted while it is read
   * @throws {StoreError} `STORE_DAMAGED`
   */
  *load(id: number): Slices<StoredContent | undefined> {
    const atHand = this.#findAtHand();
    if (atHand !== undefined && this.#newest?.id === id) return atHand;
    const row = this.#findRow(id);
    if (row === undefined) return undefined;
    try {
      const { parts } = row;
      const content =
        typeof parts === 'string' ? yield* this.#parts.read(parts, atHand) : this.#readWhole(id);
      if (id === this.findNewestId()) this.#remember(id, content);
      return content;
    } catch (cause) {
      if (this.#findRow(id) === undefined) return undefined;
      const detail = `configuration snapshot ${id} in the store is damaged; restore a backup of the data directory`;
      throw new StoreError({ code: 'STORE_DAMAGED', detail, cause });
    }
  }

  /**
   * Writes the texts of the next content in slices, and stores them where they are many, so that little is left to do when it is
   * stored.
   *
   * @throws {StoreFailure} when the disk refuses them
   */
  *prepare(content: SnapshotContent): Slices<void> {
    this.#prepared = undefined;
    const basis = this.findNewestId();
    const compared = yield* this.#compare(content, basis);
    this.#store.quickTransaction(() => this.#removeOrphans());
    this.#orphansAfter = undefined;
    const parts = yield* this.#parts.storeAhead(compared, (work) => {
      this.#orphansAfter ??= this.#parts.findLast();
      this.#store.quickTransaction(work);
    });
    this.#prepared = { content, basis, parts };
  }

  /** Stores the parts of the next snapshot, within the transaction of the caller. */
  store(content: SnapshotContent): StoredContent {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const basis = this.findNewestId();
    const isPrepared =
      prepared?.basis === basis &&
      prepared.content.document === content.document &&
      prepared.content.templates === content.templates;
    if (!isPrepared) this.#removeOrphans();
    const parts = isPrepared ? prepared.parts : finish(this.#compare(content, basis));
    return { ...content, list: this.#parts.store(parts) };
  }

  /** Keeps content that was stored, after its transaction: one that fails gives its number to the next. */
  adopt(id: number, content: StoredContent): void {
    this.#orphansAfter = undefined;
    this.#remember(id, content);
  }

  /** Keeps the newest content at hand. */
  #remember(id: number, content: StoredContent): void {
    this.#newest = { id, document: new WeakRef(content.document) };
    this.#contents.set(content.document, content);
  }

  /** Deletes a snapshot and the parts that no other one has, within the transaction of the caller. */
  delete(id: number): void {
    const next = this.#database
      .prepare('SELECT parts FROM configuration_snapshot WHERE id > ? ORDER BY id LIMIT 1')
      .get(id);
    this.#parts.prune(this.#findRow(id)?.['parts'], next?.['parts']);
    this.#database.prepare('DELETE FROM configuration_snapshot WHERE id = ?').run(id);
  }

  #removeOrphans(): void {
    const after = this.#orphansAfter;
    if (after === undefined) return;
    this.#parts.removeAfter(after === 'OF_SNAPSHOTS' ? this.#parts.findLastOfSnapshots() : after);
  }

  *#compare(content: SnapshotContent, basis: number): Slices<PreparedContent> {
    return yield* this.#parts.prepare(content, yield* this.load(basis));
  }

  #findAtHand(): StoredContent | undefined {
    const document = this.#newest?.document.deref();
    return document === undefined ? undefined : this.#contents.get(document);
  }

  #findRow(id: number): Readonly<Record<string, unknown>> | undefined {
    return this.#database.prepare('SELECT parts FROM configuration_snapshot WHERE id = ?').get(id);
  }

  #readWhole(id: number): StoredContent {
    const row = this.#database
      .prepare('SELECT document, templates FROM configuration_snapshot WHERE id = ?')
      .get(id);
    const document = parseObject(row?.['document'], this.#secrets);
    return { document, templates: parseObject(row?.['templates']), list: undefined };
  }
}

function parseObject(text: unknown, secrets?: StoredSecrets): ManagedDocument {
  const document = secrets?.parse(String(text)) ?? (JSON.parse(String(text)) as unknown);
  if (!isDocument(document)) throw new TypeError('it is no object');
  return document;
}
