/** A change that was asked for; exactly one of its methods is called when the answer is known. */
export interface PendingChange<State> {
  /** It was carried out: from now on only the new state is possible. */
  settle(value: State, atMs: number): void;
  /** It was refused: it has never been. */
  drop(): void;
}

interface Entry<State> {
  readonly fromMs: number;
  value: State;
  /** From then on nothing earlier is possible; infinite while the answer is not known. */
  settledMs: number;
}

/** Requests that began longer ago are not asked about. */
const KEPT_MS = 900_000;

/**
 * What something can have been at each time, as far as the answers of a gateway promise it: between request and answer
 * of a change both the old and the new state are possible, afterwards the new one alone.
 *
 * Changes come one after the other.
 */
export class Timeline<State> {
  readonly #keptMs: number;
  #entries: Entry<State>[];

  /** @param keptMs how long an earlier state is known after the next one */
  constructor(initial: State, keptMs = KEPT_MS) {
    this.#keptMs = keptMs;
    this.#entries = [{ fromMs: -Infinity, value: initial, settledMs: -Infinity }];
  }

  /** Notes that a change is asked for; the new state is possible from now on. */
  begin(value: State, atMs: number): PendingChange<State> {
    this.#forget(atMs);
    const entry: Entry<State> = { fromMs: atMs, value, settledMs: Infinity };
    this.#entries.push(entry);
    return {
      settle: (settled, settledMs) => {
        entry.value = settled;
        entry.settledMs = settledMs;
      },
      drop: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  /** Returns every state that is possible in this period, its ends included; the oldest first. */
  during(fromMs: number, toMs: number): readonly State[] {
    let first = 0;
    for (const [index, { settledMs }] of this.#entries.entries()) if (settledMs <= fromMs) first = index;
    return this.#entries
      .slice(first)
      .filter((entry) => entry.fromMs <= toMs)
      .map(({ value }) => value);
  }

  /** The state after every change so far, if all of them are answered. */
  get latest(): State {
    return (this.#entries.at(-1) as Entry<State>).value;
  }

  #forget(nowMs: number): void {
    let first = 0;
    for (const [index, { settledMs }] of this.#entries.entries())
      if (settledMs <= nowMs - this.#keptMs) first = index;
    if (first > 0) this.#entries = this.#entries.slice(first);
  }
}
