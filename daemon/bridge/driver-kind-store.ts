import type { Migrations, Store } from '../base/store.ts';
import type { DriverDeclaration } from './driver-declaration.ts';

/** The kinds of driver that bundles have declared, so that a configuration can be checked before they run. */
export const bridgeMigrations: Migrations = {
  room: 'bridge',
  steps: [
    `CREATE TABLE declared_driver (
      type TEXT PRIMARY KEY,
      bundle TEXT NOT NULL,
      settings TEXT NOT NULL,
      address TEXT NOT NULL
    ) STRICT`,
  ],
};

/** Keeps what bundles declare over restarts. */
export interface DriverKindStore {
  list(): readonly DriverDeclaration[];
  /** Adds a declaration; one of the same type gives way. */
  put(declaration: DriverDeclaration): void;
}

export function createDriverKindStore({ database }: Pick<Store, 'database'>): DriverKindStore {
  const select = database.prepare(
    'SELECT type, bundle, settings, address FROM declared_driver ORDER BY type',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO declared_driver VALUES (?, ?, ?, ?)');
  return {
    list: () =>
      select.all().map(({ type, bundle, settings, address }) => ({
        type: String(type),
        bundle: String(bundle),
        settings: JSON.parse(String(settings)) as unknown,
        address: JSON.parse(String(address)) as unknown,
      })),
    put({ type, bundle, settings, address }) {
      insert.run(type, bundle, JSON.stringify(settings), JSON.stringify(address));
    },
  };
}
