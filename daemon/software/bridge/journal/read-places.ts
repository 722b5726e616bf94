import type { JournalPlace } from './journal-scan.ts';

const KEPT_PLACES = 64;
const MAXIMUM_CONSUMERS = 32;

/** Where a bundle has read, so that a cursor that it names later has a time. */
export class ReadPlaces {
  /** By consumer, the earliest first. */
  readonly #places = new Map<string, JournalPlace[]>();
  readonly #starts = new Map<string, JournalPlace>();

  /** Notes the end of a batch. */
  add(consumer: string, place: JournalPlace): void {
    const places = this.#places.get(consumer) ?? [];
    if (places.length === 0 && this.#places.size >= MAXIMUM_CONSUMERS) return;
    const kept = [...places.filter(({ sequence }) => sequence < place.sequence), place];
    this.#places.set(consumer, kept.slice(-KEPT_PLACES));
  }

  /** Returns when the last entry up to a cursor was taken, nearly; undefined if that is not known. */
  timeOf(consumer: string, cursor: number): number | undefined {
    return this.#places.get(consumer)?.findLast(({ sequence }) => sequence <= cursor)?.timeMs;
  }

  /** Returns where a new consumer begins: at its first call, also if its recorder was only added later. */
  startOf(consumer: string, now: JournalPlace): JournalPlace {
    const known = this.#starts.get(consumer);
    if (known !== undefined) return known;
    if (this.#starts.size < MAXIMUM_CONSUMERS) this.#starts.set(consumer, now);
    return now;
  }
}
