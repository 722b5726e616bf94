import type { Chronicle } from './chronicle.ts';

// Nothing of the first day counts: code is compiled, and caches fill.
const FIRST_DAYS = [1, 4] as const;
const LAST_DAYS = 3;
const LEAST_DAYS = FIRST_DAYS[1] + LAST_DAYS;

/** How much more memory a world may take after days than in its first ones, in bytes. */
const GROWTH_BYTES = 20 * 2 ** 20;
// A gateway that was killed ends nothing that it has begun. What it waits for by signals of the runtime stays in this process,
// which goes on; a real one has ended.
const KILLED_BYTES = 6 * 2 ** 20;

/**
 * Checks `nothing-left` for memory, from what is in use at the end of each day after everything that can be freed was: the
 * least of the last three days is compared with the least of the second to the fourth.
 */
export class MemoryCheck {
  readonly #chronicle: Pick<Chronicle, 'break'>;
  readonly #usedBytes: number[] = [];
  #killsAtFirst = 0;

  constructor(chronicle: Pick<Chronicle, 'break'>) {
    this.#chronicle = chronicle;
  }

  /**
   * Notes the memory in use at the end of a day.
   *
   * @param kills how many gateways were killed until then
   */
  noteDay(usedBytes: number, kills: number): void {
    this.#usedBytes.push(usedBytes);
    if (this.#usedBytes.length <= FIRST_DAYS[0] + 1) this.#killsAtFirst = kills;
    if (this.#usedBytes.length < LEAST_DAYS) return;
    const first = Math.min(...this.#usedBytes.slice(...FIRST_DAYS));
    const last = Math.min(...this.#usedBytes.slice(-LAST_DAYS));
    if (last - first <= GROWTH_BYTES + (kills - this.#killsAtFirst) * KILLED_BYTES) return;
    const toMib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    this.#chronicle.break(
      'nothing-left',
      `${toMib(last)} MiB are in use after ${this.#usedBytes.length} days, and ${toMib(first)} MiB were in the first ones`,
    );
  }
}
