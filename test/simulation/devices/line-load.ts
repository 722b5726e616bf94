/** A request that reached a unit. */
export interface AskedUnit {
  readonly atMs: number;
  readonly unitId: number;
  /** How long the connection was busy with it, its way and that of the answer included. */
  readonly busyMs: number;
}

/** What a unit did not answer, in milliseconds of the world. */
export interface UnitSilence {
  /** Its requests since it answered last: all of them were in vain. */
  readonly sinceAnswer: readonly number[];
  /** Requests for addresses at which it is silent, while it answers others; the newest. */
  readonly ofAddresses: readonly AddressSilence[];
}

export interface AddressSilence {
  readonly atMs: number;
  /** When the unit had answered anything last; undefined: never. */
  readonly answeredMs: number | undefined;
}

/** How a unit treated a request. */
export type AskedOutcome = 'ANSWERED' | 'SILENT' | 'SILENT_ADDRESS';

interface LineLoadOptions {
  readonly nowMs: () => number;
  /** How long a request without an answer keeps the connection busy. */
  readonly responseTimeoutMs: number;
  /** The longest way of a request and its answer. */
  readonly wayMs: number;
}

// Longer than a read lasts.
const KEPT_MS = 120_000;
const KEPT_AT_MOST = 8192;
const KEPT_TIMES = 256;

/** Knows what the units of one connection were asked lately, and what they did not answer. */
export class LineLoad {
  readonly #options: LineLoadOptions;
  readonly #silences = new Map<
    number,
    { sinceAnswer: number[]; ofAddresses: AddressSilence[]; answeredMs: number | undefined }
  >();
  readonly #askedMs = new Map<number, number>();
  #asked: AskedUnit[] = [];

  constructor(options: LineLoadOptions) {
    this.#options = options;
  }

  /** When a unit was asked last; undefined: never. */
  get newestMs(): number | undefined {
    return this.#asked.at(-1)?.atMs;
  }

  /** By unit identifier. */
  get silences(): ReadonlyMap<number, UnitSilence> {
    return this.#silences;
  }

  /**
   * Notes a request that reached a unit just now.
   *
   * @param answerMs how long the unit takes for a whole answer; undefined: nothing that is one comes
   */
  note(unitId: number, outcome: AskedOutcome, answerMs: number | undefined): void {
    const { nowMs, responseTimeoutMs, wayMs } = this.#options;
    const atMs = nowMs();
    this.#asked.push({ atMs, unitId, busyMs: wayMs + (answerMs ?? responseTimeoutMs) });
    this.#askedMs.set(unitId, atMs);
    if (this.#asked.length > KEPT_AT_MOST) {
      const first = this.#asked.findIndex((asked) => asked.atMs > atMs - KEPT_MS);
      this.#asked = this.#asked.slice(Math.max(first, KEPT_AT_MOST / 2));
    }
    this.#noteOutcome(unitId, outcome, { atMs, isWhole: answerMs !== undefined });
  }

  /** Returns what was asked in a period of the last two minutes, in its order. */
  between(fromMs: number, toMs: number): readonly AskedUnit[] {
    const end = this.#asked.findLastIndex(({ atMs }) => atMs <= toMs) + 1;
    const begin = this.#asked.findLastIndex(({ atMs }) => atMs < fromMs) + 1;
    return this.#asked.slice(begin, end);
  }

  /** Returns when a unit was asked last; undefined: never. */
  askedMs(unitId: number): number | undefined {
    return this.#askedMs.get(unitId);
  }

  #noteOutcome(
    unitId: number,
    outcome: AskedOutcome,
    { atMs, isWhole }: { atMs: number; isWhole: boolean },
  ): void {
    let silence = this.#silences.get(unitId);
    if (silence === undefined) {
      silence = { sinceAnswer: [], ofAddresses: [], answeredMs: undefined };
      this.#silences.set(unitId, silence);
    }
    if (outcome === 'ANSWERED') {
      silence.sinceAnswer = [];
      if (isWhole) silence.answeredMs = atMs;
      return;
    }
    if (outcome === 'SILENT') keepNewest(silence.sinceAnswer, atMs);
    else keepNewest(silence.ofAddresses, { atMs, answeredMs: silence.answeredMs });
  }
}

function keepNewest<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > KEPT_TIMES) items.splice(0, KEPT_TIMES / 2);
}
