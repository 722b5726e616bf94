import type { Journal } from '../../../daemon/plant/journal/journal.ts';
import type { RecordingHost } from '../../../daemon/compose/recording/recording-host.ts';
import type { Life } from '../world/life.ts';

const HOUR_MS = 3_600_000;
// A step of the clock is believed once the clock has kept to it for an hour, or the gateway has started since.
const BELIEVED_AFTER_MS = HOUR_MS - 60_000;
// Beyond the longest step.
const LOOKED_BACK_MS = 2.5 * HOUR_MS;
const SLACK_MS = 120_000;

type Limits = NonNullable<RecordingHost['limits']>;

/** A world is short: its files have to be full, and its samples old, sooner than those of a plant. */
export const WORLD_RECORDING_LIMITS: Limits = {
  segmentBytes: 8192,
  journalBytes: 128 * 1024,
  historyBytes: 4 * 2 ** 20,
  maximumAgeMs: 5_400_000,
};

/** In a calm world, samples are further apart. */
export const CALM_RECORDING_LIMITS: Limits = { ...WORLD_RECORDING_LIMITS, maximumAgeMs: 36 * HOUR_MS };

/** Says what the gateway may have deleted. */
export class RetentionRules {
  readonly #nowMs: () => number;
  readonly #life: () => Pick<Life, 'clockSteps' | 'startsMs'>;
  readonly #limits: Limits;
  #fullMs = -Infinity;

  constructor(nowMs: () => number, life: () => Pick<Life, 'clockSteps' | 'startsMs'>, limits: Limits) {
    this.#nowMs = nowMs;
    this.#life = life;
    this.#limits = limits;
  }

  /** Notes the size of the journal. */
  note(journal: Pick<Journal, 'status'>): void {
    const { segmentBytes, journalBytes } = this.#limits;
    if (journal.status().bytes >= journalBytes - 2 * segmentBytes) this.#fullMs = this.#nowMs();
  }

  /** Whether what was taken then may be gone, because it is old by some clock that the gateway believes. */
  isOld(atMs: number): boolean {
    const nowMs = this.#nowMs();
    const { clockSteps, startsMs } = this.#life();
    const { maximumAgeMs } = this.#limits;
    let doubtMs = SLACK_MS;
    for (const { atMs: stepMs, deltaMs } of clockSteps) {
      // Steps before what is kept do not matter.
      if (stepMs < nowMs - maximumAgeMs - LOOKED_BACK_MS) continue;
      const isBelieved = stepMs < nowMs - BELIEVED_AFTER_MS || startsMs.some((startMs) => startMs >= stepMs);
      if (deltaMs < 0 || isBelieved) doubtMs += Math.abs(deltaMs);
    }
    return nowMs - atMs >= maximumAgeMs - doubtMs;
  }

  /** Whether the history may lack what was taken then: it was old, or gone from the journal when the history began again there. */
  mayLack(atMs: number): boolean {
    const hasBegunAgain = this.#life().startsMs.some((startMs) => startMs >= atMs);
    return this.isOld(atMs) || (hasBegunAgain && this.wasFull(atMs));
  }

  /** Whether the journal may have been full at some moment since then. */
  wasFull(sinceMs: number): boolean {
    return this.#fullMs >= sinceMs;
  }
}
