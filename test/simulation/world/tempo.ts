import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;

/** What `--pace` may be. */
export const PACES = ['calm'] as const;

/** A pace other than the usual one. */
export type PaceName = (typeof PACES)[number];

// Once in each calm week there are hours like those of a usual world, in which everything meets everything.
const PERIOD_MS = 168 * HOUR_MS;
const LIVELY_MS = 3 * HOUR_MS;
const CALM_STRETCH = 60;

/** A time in which things happen as often as in a usual world. */
interface LivelyTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * How often things happen in a world: as usual in lively times, and much less often in between.
 *
 * Pauses and faults are drawn as in a usual world, on an axis of activity that stops nearly still in calm times.
 */
export class Tempo {
  readonly #lively: readonly LivelyTime[];

  /** @param lively in their order */
  constructor(lively: readonly LivelyTime[]) {
    this.#lively = lively;
  }

  /** Whether there are calm times. */
  get hasCalm(): boolean {
    return this !== STEADY_TEMPO;
  }

  /** Whether this is a lively time. */
  isLively(atMs: number): boolean {
    return this.#find(atMs) !== undefined;
  }

  /** Since when it is lively; undefined in a calm time. */
  livelySinceMs(atMs: number): number | undefined {
    return this.#find(atMs)?.fromMs;
  }

  /** Returns how long a pause lasts that begins then; one that begins in a lively time is as it was drawn. */
  pause(fromMs: number, drawnMs: number): number {
    return this.isLively(fromMs) ? drawnMs : this.timeAt(this.activityAt(fromMs) + drawnMs) - fromMs;
  }

  /** Returns the activity that there was until then, in milliseconds of a usual world. */
  activityAt(atMs: number): number {
    let activityMs = 0;
    let calmFromMs = 0;
    for (const { fromMs, toMs } of this.#lively) {
      if (fromMs >= atMs) break;
      activityMs += (fromMs - calmFromMs) / CALM_STRETCH + Math.min(toMs, atMs) - fromMs;
      calmFromMs = toMs;
    }
    return activityMs + Math.max(0, atMs - calmFromMs) / CALM_STRETCH;
  }

  /** Returns when there was so much activity: the inverse of `activityAt`. */
  timeAt(activityMs: number): number {
    let leftMs = activityMs;
    let calmFromMs = 0;
    for (const { fromMs, toMs } of this.#lively) {
      const calmMs = (fromMs - calmFromMs) / CALM_STRETCH;
      if (leftMs <= calmMs) break;
      leftMs -= calmMs;
      if (leftMs <= toMs - fromMs) return fromMs + leftMs;
      leftMs -= toMs - fromMs;
      calmFromMs = toMs;
    }
    return calmFromMs + leftMs * CALM_STRETCH;
  }

  #find(atMs: number): LivelyTime | undefined {
    return this.#lively.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  }
}

/** The tempo of a usual world. */
export const STEADY_TEMPO = new Tempo([{ fromMs: 0, toMs: Infinity }]);

/** Draws when a calm world of this length is lively: three hours in each week. */
export function drawCalmTempo(random: Random, lengthMs: number): Tempo {
  const lively: LivelyTime[] = [];
  for (let beginMs = 0; beginMs < lengthMs; beginMs += PERIOD_MS) {
    const spareMs = Math.min(PERIOD_MS, lengthMs - beginMs) - LIVELY_MS;
    if (spareMs < 0) break;
    const fromMs = beginMs + random.integer(0, spareMs);
    lively.push({ fromMs, toMs: fromMs + LIVELY_MS });
  }
  return new Tempo(lively);
}
