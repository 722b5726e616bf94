import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import type { StoredAnnouncement } from './audit-store.ts';

/** Keeps what is about to be done in a table of its own, until the events that tell what became of it are stored. */
export class Announcements {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds one; returns its id. */
  add(events: readonly AuditEvent[]): number {
    const { lastInsertRowid } = this.#store.database
      .prepare('INSERT INTO audit_announcement (content) VALUES (?)')
      .run(JSON.stringify(events));
    return Number(lastInsertRowid);
  }

  /** Removes those with these ids. */
  remove(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#store.database.prepare('DELETE FROM audit_announcement WHERE id = ?').run(id);
    }
  }

  /** Returns all in the order in which they were added. */
  list(): readonly StoredAnnouncement[] {
    const rows = this.#store.database.prepare('SELECT id, content FROM audit_announcement ORDER BY id').all();
    return rows.map(({ id, content }) => ({
      id: Number(id),
      events: JSON.parse(String(content)) as readonly AuditEvent[],
    }));
  }
}

/** Something that is about to be done, and was stored as such. */
export interface Announcement {
  readonly id: number;
}

/** Joins the announcements of one turn of the event loop: they are stored together. */
export class AnnouncementQueue {
  readonly #clock: Pick<Clock, 'nextTurn'>;
  readonly #store: (announcements: readonly (readonly AuditEvent[])[]) => readonly number[];
  #waiting: (readonly AuditEvent[])[] = [];
  #storing: Promise<readonly number[]> | undefined;

  /** @param store stores announcements and returns their ids; throws when it cannot */
  constructor(
    clock: Pick<Clock, 'nextTurn'>,
    store: (announcements: readonly (readonly AuditEvent[])[]) => readonly number[],
  ) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Stores an announcement in the next turn; rejects when it cannot be. */
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
