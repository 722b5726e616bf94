import { Conflict } from '../../base/errors.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Identity } from './identity.ts';

/** Table of personal settings; an identity without any has no row. */
export const personalSettingsMigrations: Migrations = {
  module: 'personal settings',
  steps: [
    `CREATE TABLE personal_settings (
      identity_id TEXT PRIMARY KEY REFERENCES identity (id) ON DELETE CASCADE,
      settings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
};

interface PersonalSettingsOptions {
  readonly store: Store;
  readonly identities: Pick<IdentityStore, 'find'>;
}

/** Stores the settings of each identity for its own pages, as JSON text. They end with the identity. */
export class PersonalSettings {
  readonly #options: PersonalSettingsOptions;

  constructor(options: PersonalSettingsOptions) {
    this.#options = options;
  }

  /** Returns the stored text; undefined: none. */
  find({ id }: Pick<Identity, 'id'>): string | undefined {
    const { database } = this.#options.store;
    const sql = 'SELECT settings FROM personal_settings WHERE identity_id = ?';
    const text = database.prepare(sql).get(id)?.['settings'];
    return typeof text === 'string' ? text : undefined;
  }

  /**
   * Replaces the settings of an identity; they are on disk when this returns.
   *
   * @throws {Conflict} `SETTINGS_WITHOUT_IDENTITY` if the identity is not stored, as that of the local socket is not
   * @throws {StoreFailure} if they cannot be stored
   */
  put({ id, name }: Pick<Identity, 'id' | 'name'>, text: string): void {
    const { store, identities } = this.#options;
    if (identities.find(name)?.id !== id) {
      const detail = `"${name}" is not a stored identity and has no settings`;
      throw new Conflict({ code: 'SETTINGS_WITHOUT_IDENTITY', detail });
    }
    store.transaction(() =>
      store.database.prepare('INSERT OR REPLACE INTO personal_settings VALUES (?, ?)').run(id, text),
    );
  }
}
