import type { Store } from '../../base/store/store.ts';

/** Persistent position of an audit export. */
export interface ExportCursor {
  /** Id of the last accepted event; 0 before the first. */
  read(): number;
  /** @throws if the disk write fails */
  write(id: number): void;
}

/** Creates the cursor of one destination in the tables of the audit. */
export function createExportCursor(store: Store, name: string): ExportCursor {
  return {
    read() {
      const row = store.database.prepare('SELECT event_id FROM audit_cursor WHERE name = ?').get(name);
      return Number(row?.['event_id'] ?? 0);
    },
    write(id) {
      const statement = 'INSERT OR REPLACE INTO audit_cursor (name, event_id) VALUES (?, ?)';
      store.quickTransaction(() => store.database.prepare(statement).run(name, id));
    },
  };
}
