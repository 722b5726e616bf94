import type { Clock } from '../../base/clock.ts';
import { finish } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { readVersion } from '../../base/version.ts';
import type { TemplateContents } from '../asset-templates.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { ORIGIN_TABLE, OriginStore } from '../provision/origin-store.ts';
import type { PreparedOrigins } from '../provision/origin-store.ts';
import { SnapshotContents } from './snapshot-contents.ts';
import { PART_TABLE } from './snapshot-parts.ts';
import type { SnapshotContent, StoredContent } from './snapshot-parts.ts';
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
    PART_TABLE,
  ],
};

/** Maximum number of stored snapshots; the oldest are deleted first. */
export const KEPT_SNAPSHOTS = 100;

const OLDEST = 'SELECT id FROM configuration_snapshot WHERE id <= ? ORDER BY id';

/** One state of the managed configuration. */
export interface Snapshot extends SnapshotContent {
  /** Grows by one with every snapshot. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
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
  readonly origins?: PreparedOrigins;
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
  readonly #contents: SnapshotContents;
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
    this.#contents = new SnapshotContents(store, options.secrets);
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
    const ids = database.prepare('SELECT id FROM configuration_snapshot WHERE parts IS NULL').all();
    const update = database.prepare('UPDATE configuration_snapshot SET document = ? WHERE id = ?');
    for (const { id = null } of ids) {
      const content = finish(this.#contents.load(Number(id)));
      if (content !== undefined) update.run(JSON.stringify(this.#secrets.seal(content.document)), id);
    }
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
    return this.#contents.findNewestId();
  }

  /** Returns a snapshot by its number; undefined if it does not exist or was deleted. */
  find(id: number): Snapshot | undefined {
    return finish(this.load(id));
  }

  /** Reads a snapshot as `find` does, in slices. */
  *load(id: number): Slices<Snapshot | undefined> {
    const row = this.#store.database
      .prepare('SELECT id, created_at_ms, author, checked_by FROM configuration_snapshot WHERE id = ?')
      .get(id);
    const content = yield* this.#contents.load(id);
    if (row === undefined || content === undefined) return undefined;
    const { document, templates } = content;
    const wasRight = row['checked_by'] === this.#release;
    return { ...toHead(row), document, templates, ...(wasRight ? { wasRight } : {}) };
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
        .run(inserted.snapshot.id, revertTo);
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

  /** Reactivates the content from before a pending change, as a new snapshot. */
  revertUnconfirmed({ document, templates }: SnapshotContent): Snapshot {
    const snapshot = this.#store.transaction(() => {
      this.#store.database.exec('DELETE FROM configuration_trial');
      return this.#insert(document, templates);
    });
    return this.#keep(snapshot);
  }

  /** Prepares the content of the next snapshot in slices, so that little is left to do when it is saved. */
  *prepare(document: ManagedDocument, templates: TemplateContents): Slices<void> {
    yield* this.#contents.prepare({ document, templates });
  }

  /**
   * Activates the result of a provisioning: document, digests and origins atomically.
   *
   * @returns the new snapshot; undefined without a document
   */
  saveProvision({ document, templates = {}, digests, origins }: ProvisionRecord): Snapshot | undefined {
    const snapshot = this.#store.transaction(() => {
      this.#store.database.exec('DELETE FROM provision_source');
      const insert = this.#store.database.prepare('INSERT INTO provision_source VALUES (?, ?)');
      for (const [name, digest] of digests) insert.run(name, digest);
      if (origins !== undefined) this.origins.replace(origins);
      return document === undefined ? undefined : this.#insert(document, templates);
    });
    return snapshot === undefined ? undefined : this.#keep(snapshot);
  }

  /** Records that this release has checked a snapshot completely, so that the next start skips the check. */
  noteRight(id: number): void {
    this.#store.transaction(() =>
      this.#store.database
        .prepare('UPDATE configuration_snapshot SET checked_by = ? WHERE id = ?')
        .run(this.#release, id),
    );
  }

  #insert(document: ManagedDocument, templates: TemplateContents, author?: string): Inserted {
    const { database } = this.#store;
    const createdAtMs = this.#clock.epochMs();
    const content = this.#contents.store({ document, templates });
    const { lastInsertRowid } = database
      .prepare(
        "INSERT INTO configuration_snapshot (created_at_ms, document, author, parts) VALUES (?, '', ?, ?)",
      )
      .run(createdAtMs, author ?? null, JSON.stringify(content.list));
    const id = Number(lastInsertRowid);
    for (const { id: oldest } of database.prepare(OLDEST).all(id - KEPT_SNAPSHOTS))
      this.#contents.delete(Number(oldest));
    const snapshot = { id, createdAtMs, document, templates, ...(author === undefined ? {} : { author }) };
    return { snapshot, content };
  }

  #keep({ snapshot, content }: Inserted): Snapshot {
    this.#contents.adopt(snapshot.id, content);
    return snapshot;
  }
}

/** A new snapshot, and its content as stored. */
interface Inserted {
  readonly snapshot: Snapshot;
  readonly content: StoredContent;
}

function toHead(row: Record<string, unknown>): SnapshotHead {
  const { id, created_at_ms: createdAtMs, author } = row;
  return {
    id: Number(id),
    createdAtMs: Number(createdAtMs),
    ...(typeof author === 'string' ? { author } : {}),
  };
}
