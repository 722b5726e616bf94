import { Conflict, InvalidRequest } from '../../base/errors.ts';
import { createReason, explain } from '../../base/fault-reason.ts';
import { IDENTITY_FAULTS } from './fault-sentences.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import type { IdentityStore } from './identity-store.ts';

/** Table of permissions that clients have defined. */
export const definedPermissionMigrations: Migrations = {
  module: 'defined permission',
  steps: ['CREATE TABLE defined_permission (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'],
};

const MAXIMUM_PERMISSIONS = 256;
const NAME = /^(?=.{3,255}$)[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*$/;

/** Permissions that clients have defined for purposes of their own; they give access to nothing of the gateway. */
export class DefinedPermissions {
  readonly #store: Store;
  readonly #names: Set<string>;

  /** Loads the permissions from disk. */
  constructor(store: Store) {
    this.#store = store;
    const rows = store.database.prepare('SELECT name FROM defined_permission').all();
    this.#names = new Set(rows.map(({ name }) => String(name)));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Lists the names, sorted. */
  list(): readonly string[] {
    return [...this.#names].sort();
  }

  /**
   * Defines a permission; it is on disk when this returns.
   *
   * @throws {Conflict} `PERMISSION_EXISTS`
   * @throws {InvalidRequest} `PERMISSION_INVALID` or `PERMISSION_LIMIT`
   */
  define(name: string): void {
    if (this.has(name)) {
      throw new Conflict({ code: 'PERMISSION_EXISTS', detail: `permission "${name}" already exists` });
    }
    if (!NAME.test(name)) {
      const reason = createReason(IDENTITY_FAULTS, 'EXPECTED_PERMISSION_NAME', {});
      throw new InvalidRequest({ code: 'PERMISSION_INVALID', ...explain(reason) });
    }
    if (this.#names.size >= MAXIMUM_PERMISSIONS) {
      const reason = createReason(IDENTITY_FAULTS, 'PERMISSIONS_TOO_MANY', { bound: MAXIMUM_PERMISSIONS });
      throw new InvalidRequest({ code: 'PERMISSION_LIMIT', ...explain(reason) });
    }
    this.#store.transaction(() =>
      this.#store.database.prepare('INSERT INTO defined_permission VALUES (?)').run(name),
    );
    this.#names.add(name);
  }

  /** Deletes a permission and takes it from every identity, in one transaction. */
  remove(name: string, identities: Pick<IdentityStore, 'takePermission'>): void {
    identities.takePermission(name, () => {
      this.#store.database.prepare('DELETE FROM defined_permission WHERE name = ?').run(name);
    });
    this.#names.delete(name);
  }
}
