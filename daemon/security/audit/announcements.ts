import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import type { StoredAnnouncement } from './audit-store.ts';

/** Stores announcements of operations in a separate table until the events with their outcome are stored. */
export class Announcements {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds an announcement and returns its id. */
  add(events: readonly AuditEvent[]): number {
    const { lastInsertRowid } = this.#store.database
      .prepare('INSERT INTO audit_announcement (content) VALUES (?)')
      .run(JSON.stringify(events));
    return Number(lastInsertRowid);
  }

  /** Removes the announcements with these ids. */
  remove(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#store.database.prepare('DELETE FROM audit_announcement WHERE id = ?').run(id);
    }
  }

  /** Lists all announcements in insertion order. */
  list(): readonly StoredAnnouncement[] {
    const rows = this.#store.database.prepare('SELECT id, content FROM audit_announcement ORDER BY id').all();
    return rows.map(({ id, content }) => ({
      id: Number(id),
      events: JSON.parse(String(content)) as readonly AuditEvent[],
    }));
  }
}

/** Handle of a stored announcement of an operation. */
export interface Announcement {
  readonly id: number;
}

/** Batches the announcements of one event loop turn into one transaction. */
export class AnnouncementQueue {
  readonly #clock: Pick<Clock, 'nextTurn'>;
  readonly #store: (announcements: readonly (readonly AuditEvent[])[]) => readonly number[];
  #waiting: (readonly AuditEvent[])[] = [];
  #storing: Promise<readonly number[]> | undefined;

  /** @param store stores announcements and returns their ids; throws on failure */
  constructor(
    clock: Pick<Clock, 'nextTurn'>,
    store: (announcements: readonly (readonly AuditEvent[])[]) => readonly number[],
  ) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Stores an announcement in the next turn; rejects on failure. */
  async add(events: readonly AuditEvent[]): Promise<Announcement> {
    const index = this.#waiting.push(events) - 1;
    this.#storing ??= this.#storeAll();
    const ids = await this.#storing;
    return { id: ids[index] ?? 0 };
  }

  async #storeAll(): Promise<readonly number[]> {
    await this.#clock.nextTurn();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#storing = undefined;
    return this.#store(waiting);
  }
}
