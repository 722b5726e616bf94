import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/store/store.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { readVersion } from '../../base/version.ts';
import type { TemplateContents } from '../asset-templates.ts';
import { isDocument } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { ORIGIN_TABLE, OriginStore } from '../provision/origin-store.ts';
import type { PartOrigin } from '../provision/provision-origins.ts';
import type { StoredSecrets } from './stored-secrets.ts';

/** The tables of this module. */
export const configurationMigrations: Migrations = {
  module: 'configuration',
  steps: [
    // AUTOINCREMENT: the number of a snapshot that was dropped is never given again.
    `CREATE TABLE configuration_snapshot (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       created_at_ms INTEGER NOT NULL,
       document TEXT NOT NULL
     ) STRICT;
     CREATE TABLE provision_source (
       name TEXT PRIMARY KEY,
       digest TEXT NOT NULL
     ) STRICT;`,
    // At most one row: the unconfirmed snapshot in force, and the one to go back to, 0 being the empty document.
    `CREATE TABLE configuration_trial (
       snapshot_id INTEGER PRIMARY KEY,
       revert_to INTEGER NOT NULL
     ) STRICT;`,
    // Contents by name of the templates that the assets had when the snapshot was made.
    `ALTER TABLE configuration_snapshot ADD COLUMN templates TEXT NOT NULL DEFAULT '{}';`,
    ORIGIN_TABLE,
    // Who asked for it; null: nobody did, such as for a provision file or a change that was not confirmed.
    `ALTER TABLE configuration_snapshot ADD COLUMN author TEXT;`,
    // Version of the release that found it to be right as a whole; null: none has, since it was made by an earlier one.
    `ALTER TABLE configuration_snapshot ADD COLUMN checked_by TEXT;`,
  ],
};

/** Maximum number of stored snapshots; the oldest are deleted first. */
export const KEPT_SNAPSHOTS = 100;

/** One state of the managed configuration. */
export interface Snapshot {
  /** Grows by one with every snapshot. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly document: ManagedDocument;
  /** Templates of its assets at that time. */
  readonly templates: TemplateContents;
  /** Name of the author; undefined: a provision file, or a revert without confirmation. */
  readonly author?: string | undefined;
  /** True if this release has checked it completely, with its templates. */
  readonly wasRight?: boolean | undefined;
}

/** Snapshot without its document. */
export type SnapshotHead = Pick<Snapshot, 'id' | 'createdAtMs' | 'author'>;

/** Result of a provisioning, to be stored. */
interface ProvisionRecord {
  /** The new configuration; undefined when it did not change. */
  readonly document?: ManagedDocument | undefined;
  /** The templates of its assets; absent: none. */
  readonly templates?: TemplateContents;
  /** Digest of every present source by its name; sources that are not named are forgotten. */
  readonly digests: ReadonlyMap<string, string>;
  /** Where every part came from; absent: what is recorded stays. */
  readonly origins?: readonly PartOrigin[];
}

/** Active configuration that is pending confirmation. */
export interface UnconfirmedChange {
  /** Number of the active snapshot. */
  readonly snapshotId: number;
  /** Number of the snapshot to go back to; 0 for the empty document. */
  readonly revertTo: number;
}

/** Stores the managed configuration as numbered snapshots; the newest is active. */
export class SnapshotStore {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #release: string;
  readonly #secrets: StoredSecrets | undefined;
  /** Cached last document (weakly held): a change reads it several times. */
  #document: { readonly id: number; readonly content: WeakRef<ManagedDocument> } | undefined;
  /** Which parts came from which provision file. */
  readonly origins: OriginStore;

  /** @param options `release`: version of the program; `secrets`: what encrypts secrets, which are stored as they are unless given */
  constructor(
    store: Store,
    clock: Clock,
    options: { readonly release?: string; readonly secrets?: StoredSecrets } = {},
  ) {
    this.#store = store;
    this.#release = options.release ?? readVersion();
    this.#secrets = options.secrets;
    this.origins = new OriginStore(store, options.secrets);
    this.#clock = clock;
  }

  /**
   * Encrypts the secrets that an earlier release stored in clear text, within the transaction of the caller.
   *
   * @returns how many rows have changed
   */
  sealSecrets(): number {
    if (this.#secrets === undefined) return 0;
    const { database } = this.#store;
    const ids = database.prepare('SELECT id FROM configuration_snapshot').all();
    const update = database.prepare('UPDATE configuration_snapshot SET document = ? WHERE id = ?');
    for (const { id = null } of ids) update.run(this.#format(this.#readDocument(Number(id))), id);
    return ids.length + this.origins.sealSecrets();
  }

  /** Masks the secrets of a provision source, so that its digest reveals nothing about them. */
  mask(source: ManagedDocument): ManagedDocument {
    return this.#secrets?.mask(source) ?? source;
  }

  /** Returns the active snapshot; undefined before the first. */
  findNewest(): Snapshot | undefined {
    return this.find(this.findNewestId());
  }

  /** Returns the number of the active snapshot; 0 before the first. */
  findNewestId(): number {
    const row = this.#store.database.prepare('SELECT max(id) AS id FROM configuration_snapshot').get();
    return Number(row?.['id'] ?? 0);
  }

  /** Returns a snapshot by its number; undefined if it does not exist or was deleted. */
  find(id: number): Snapshot | undefined {
    const row = this.#store.database
      .prepare(
        'SELECT id, created_at_ms, author, templates, checked_by FROM configuration_snapshot WHERE id = ?',
      )
      .get(id);
    if (row === undefined) return undefined;
    return {
      ...toHead(row),
      document: this.#readDocument(id),
      templates: parseDocument(id, row['templates']),
      ...(row['checked_by'] === this.#release ? { wasRight: true } : {}),
    };
  }

  /** Returns a snapshot without its document; undefined if it does not exist or was deleted. */
  findHead(id: number): SnapshotHead | undefined {
    const row = this.#store.database
      .prepare('SELECT id, created_at_ms, author FROM configuration_snapshot WHERE id = ?')
      .get(id);
    return row === undefined ? undefined : toHead(row);
  }

  /** Lists the numbers, times and authors of all snapshots, the newest first. */
  list(): readonly SnapshotHead[] {
    return this.#store.database
      .prepare('SELECT id, created_at_ms, author FROM configuration_snapshot ORDER BY id DESC')
      .all()
      .map(toHead);
  }

  /** Returns the digest of each provision source at its last merge, by source name. */
  readDigests(): ReadonlyMap<string, string> {
    const rows = this.#store.database.prepare('SELECT name, digest FROM provision_source').all();
    return new Map(rows.map((row) => [String(row['name']), String(row['digest'])]));
  }

  /** Activates a document with the templates of its assets; deletes snapshots beyond {@link KEPT_SNAPSHOTS}. */
  save(document: ManagedDocument, templates: TemplateContents = {}, author?: string): Snapshot {
    return this.#keep(this.#store.transaction(() => this.#insert(document, templates, author)));
  }

  /** Activates a document that must be confirmed; stores it atomically with the snapshot to revert to. */
  saveUnconfirmed(document: ManagedDocument, templates: TemplateContents = {}, author?: string): Snapshot {
    const snapshot = this.#store.transaction(() => {
      const revertTo = this.findNewestId();
      const inserted = this.#insert(document, templates, author);
      this.#store.database
        .prepare('INSERT INTO configuration_trial VALUES (?, ?)')
        .run(inserted.id, revertTo);
      return inserted;
    });
    return this.#keep(snapshot);
  }

  /** Finds the pending change. */
  findUnconfirmed(): UnconfirmedChange | undefined {
    const row = this.#store.database.prepare('SELECT * FROM configuration_trial').get();
    if (row === undefined) return undefined;
    return { snapshotId: Number(row['snapshot_id']), revertTo: Number(row['revert_to']) };
  }

  /** Confirms the pending change; its snapshot stays active. */
  confirm(): void {
    this.#store.transaction(() => this.#store.database.exec('DELETE FROM configuration_trial'));
  }

  /** Reactivates the document from before a pending change, as a new snapshot. */
  revertUnconfirmed({ revertTo }: UnconfirmedChange): Snapshot {
    return this.#store.transaction(() => {
      this.#store.database.exec('DELETE FROM configuration_trial');
      const { document = {}, templates = {} } = this.find(revertTo) ?? {};
      return this.#insert(document, templates);
    });
  }

  /**
   * Activates the result of a provisioning: document, digests and origins atomically.
   *
   * @returns the new snapshot; undefined without a document
   */
  saveProvision({ document, templates = {}, digests, origins }: ProvisionRecord): Snapshot | undefined {
    return this.#store.transaction(() => {
      this.#store.database.exec('DELETE FROM provision_source');
      const insert = this.#store.database.prepare('INSERT INTO provision_source VALUES (?, ?)');
      for (const [name, digest] of digests) insert.run(name, digest);
      if (origins !== undefined) this.origins.replace(origins);
      return document === undefined ? undefined : this.#insert(document, templates);
    });
  }

  /** Records that this release has checked a snapshot completely, so that the next start skips the check. */
  noteRight(id: number): void {
    this.#store.transaction(() =>
      this.#store.database
        .prepare('UPDATE configuration_snapshot SET checked_by = ? WHERE id = ?')
        .run(this.#release, id),
    );
  }

  #insert(document: ManagedDocument, templates: TemplateContents, author?: string): Snapshot {
    const { database } = this.#store;
    const createdAtMs = this.#clock.epochMs();
    const { lastInsertRowid } = database
      .prepare(
        'INSERT INTO configuration_snapshot (created_at_ms, document, templates, author) VALUES (?, ?, ?, ?)',
      )
      .run(createdAtMs, this.#format(document), JSON.stringify(templates), author ?? null);
    const id = Number(lastInsertRowid);
    database.prepare('DELETE FROM configuration_snapshot WHERE id <= ?').run(id - KEPT_SNAPSHOTS);
    return { id, createdAtMs, document, templates, ...(author === undefined ? {} : { author }) };
  }

  #format(document: ManagedDocument): string {
    return JSON.stringify(this.#secrets?.seal(document) ?? document);
  }

  #readDocument(id: number): ManagedDocument {
    const known = this.#document?.id === id ? this.#document.content.deref() : undefined;
    if (known !== undefined) return known;
    const row = this.#store.database
      .prepare('SELECT document FROM configuration_snapshot WHERE id = ?')
      .get(id);
    const document = parseDocument(id, row?.['document'], this.#secrets);
    this.#document = { id, content: new WeakRef(document) };
    return document;
  }

  // Not within the transaction: one that fails gives its number to the next.
  #keep(snapshot: Snapshot): Snapshot {
    this.#document = { id: snapshot.id, content: new WeakRef(snapshot.document) };
    return snapshot;
  }
}

function toHead(row: Record<string, unknown>): SnapshotHead {
  const { id, created_at_ms: createdAtMs, author } = row;
  return {
    id: Number(id),
    createdAtMs: Number(createdAtMs),
    ...(typeof author === 'string' ? { author } : {}),
  };
}

function parseDocument(id: number, text: unknown, secrets?: StoredSecrets): ManagedDocument {
  try {
    const document = secrets?.parse(String(text)) ?? (JSON.parse(String(text)) as unknown);
    if (!isDocument(document)) throw new TypeError('it is no object');
    return document;
  } catch (cause) {
    const detail = `configuration snapshot ${id} in the store is damaged; restore a backup of the data directory`;
    throw new StoreError({ code: 'STORE_DAMAGED', detail, cause });
  }
}
