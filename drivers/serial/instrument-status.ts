import { GatewayError } from '../../daemon/base/errors.ts';
import type { UnitStatus } from '../../daemon/channel/driver.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from './serial-errors.ts';

const COUNTERS = [
  'requests',
  'answers',
  'timeouts',
  'invalidAnswers',
  'frames',
  'strayFrames',
  'framingFaults',
  'linkLosses',
  'reopenings',
] as const;
type Counter = (typeof COUNTERS)[number];

/** Keeps what is to be shown of the instrument behind a line. */
export class InstrumentStatus {
  readonly #name: string;
  readonly #clock: { epochMs(): number };
  readonly #counts = new Map<Counter, number>(COUNTERS.map((counter) => [counter, 0]));
  #state: UnitStatus['state'] = 'UNKNOWN';
  #lastError: { readonly message: string; readonly atMs: number } | undefined;

  constructor(name: string, clock: { epochMs(): number }) {
    this.#name = name;
    this.#clock = clock;
  }

  /** Adds one to a counter. */
  count(counter: Counter): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + 1);
  }

  /** Takes note of a frame that was waited for. */
  noteAnswer(): void {
    this.count('answers');
    this.#state = 'ANSWERING';
  }

  /** Takes note of what ended a wait without a frame, or the line. */
  noteFailure(error: unknown): void {
    if (error instanceof NoAnswer) this.count('timeouts');
    if (error instanceof InvalidAnswer) this.count('invalidAnswers');
    if (error instanceof NoAnswer || error instanceof LinkLost) this.#state = 'UNKNOWN';
    if (!(error instanceof GatewayError)) return;
    this.#lastError = { message: error.detail, atMs: this.#clock.epochMs() };
  }

  /** One entry, once something is known of the instrument. */
  unitStatus(): readonly UnitStatus[] {
    if (this.#state === 'UNKNOWN' && this.#lastError === undefined) return [];
    return [
      {
        name: this.#name,
        state: this.#state,
        lastError: this.#lastError?.message,
        lastErrorAtMs: this.#lastError?.atMs,
        counters: this.counters(),
      },
    ];
  }

  counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
