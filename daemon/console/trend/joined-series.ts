import { findIndex } from './samples.ts';
import type { Gap, Samples, Series } from './samples.ts';

/** Recorded values of a channel, as loaded for a time range. */
export interface RecordedCurve {
  readonly samples: Samples;
  /** Gateway time of the request: later values may be missing. */
  readonly askedMs: number;
  /** A recorder records the channel. */
  readonly isOngoing: boolean;
}

interface Hole {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Gap of the page that the recorded values replace. */
  readonly gap?: Gap;
  /** The device dates the value that the page has received at the end to the begin. */
  readonly isDated?: true;
}

/** Samples of one source with consecutive indices. */
interface Piece {
  readonly samples: Samples;
  readonly from: number;
  readonly until: number;
}

// The gateway stores a sample about a second after taking it.
const STORED_AFTER_MS = 1000;
/** Time after which the history has what was recorded, also after a start of the gateway. */
export const SURELY_STORED_AFTER_MS = 30_000;

/**
 * Values received by the page, and recorded ones from before and from times when the page did not listen. Where both
 * exist, those received by the page count, so that no point is doubled.
 *
 * It shows the state at its creation.
 */
export class JoinedSeries implements Series {
  readonly #pieces: readonly Piece[];
  readonly length: number;
  readonly gaps: readonly Gap[];

  /** @param heardMs time at which the page received the first value */
  constructor(live: Samples, recorded: RecordedCurve, heardMs: number) {
    const holes = listHoles(live, heardMs).filter((hole) => isFilled(hole, recorded));
    this.#pieces = listPieces(live, recorded.samples, holes);
    this.length = this.#pieces.reduce((sum, { from, until }) => sum + until - from, 0);
    const replaced = new Set(holes.map(({ gap }) => gap));
    this.gaps = [
      ...live.gaps.filter((gap) => !replaced.has(gap)),
      ...holes.flatMap((hole) => clipGaps(recorded.samples, hole)),
    ].toSorted((a, b) => a.fromMs - b.fromMs);
  }

  /** Time of the first sample or gap. */
  get startMs(): number | undefined {
    const times = [...(this.length > 0 ? [this.timeAt(0)] : []), ...this.gaps.map(({ fromMs }) => fromMs)];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  timeAt(index: number): number {
    const [samples, own] = this.#find(index);
    return samples?.timeAt(own) ?? Number.NaN;
  }

  valueAt(index: number): number {
    const [samples, own] = this.#find(index);
    return samples?.valueAt(own) ?? Number.NaN;
  }

  textAt(index: number): string {
    const [samples, own] = this.#find(index);
    return samples?.textAt(own) ?? '';
  }

  indexAt(ms: number): number {
    return findIndex(this, ms);
  }

  gapAt(ms: number): Gap | undefined {
    return this.gaps.findLast(({ fromMs, untilMs = Infinity }) => fromMs < ms && ms < untilMs);
  }

  #find(index: number): readonly [samples: Samples | undefined, index: number] {
    let left = index;
    for (const { samples, from, until } of this.#pieces) {
      if (left < until - from) return [samples, from + left];
      left -= until - from;
    }
    return [undefined, 0];
  }
}

/** Lists the times without values of the page's own, in order. */
function listHoles(live: Samples, heardMs: number): readonly Hole[] {
  const firstMs = live.length === 0 ? Infinity : live.timeAt(0);
  const startMs = Math.min(firstMs, live.gaps[0]?.fromMs ?? Infinity);
  // A device can date a value long before the page received it.
  const secondMs = live.length > 1 ? live.timeAt(1) : Infinity;
  const nextMs = Math.min(heardMs, secondMs, live.gaps[0]?.fromMs ?? Infinity);
  return [
    { fromMs: -Infinity, untilMs: startMs },
    ...(firstMs === startMs && firstMs < nextMs
      ? [{ fromMs: firstMs, untilMs: nextMs, isDated: true as const }]
      : []),
    ...live.gaps.flatMap((gap) =>
      gap.isUnheard === true && gap.untilMs !== undefined
        ? [{ fromMs: gap.fromMs, untilMs: gap.untilMs, gap }]
        : [],
    ),
  ];
}

/**
 * True if recorded values replace a gap: at least one of them, the reason for their absence, or values before and after
 * between which there was nothing to record. The recorder of a value that does not change may take none afterwards.
 */
function isFilled(hole: Hole, { samples, askedMs, isOngoing }: RecordedCurve): boolean {
  if (hole.gap !== undefined && askedMs < hole.untilMs + STORED_AFTER_MS) return false;
  const { from, until } = indicesIn(samples, hole);
  const isComplete = isOngoing && askedMs >= hole.untilMs + SURELY_STORED_AFTER_MS;
  const isSurrounded = from > 0 && (until < samples.length || isComplete);
  return isSurrounded || until > from || clipGaps(samples, hole).length > 0;
}

function listPieces(live: Samples, recorded: Samples, holes: readonly Hole[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let taken = 0;
  for (const hole of holes) {
    const until = live.indexAt(hole.fromMs) + 1;
    pieces.push({ samples: live, from: taken, until: Math.max(taken, until) });
    taken = Math.max(taken, until);
    pieces.push({ samples: recorded, ...indicesIn(recorded, hole) });
  }
  pieces.push({ samples: live, from: taken, until: live.length });
  return pieces;
}

/** Returns the indices of the samples after the begin and before the end of a hole. */
function indicesIn(samples: Samples, { fromMs, untilMs }: Hole): Pick<Piece, 'from' | 'until'> {
  const from = samples.indexAt(fromMs) + 1;
  let until = samples.indexAt(untilMs) + 1;
  while (until > from && samples.timeAt(until - 1) >= untilMs) until -= 1;
  return { from, until };
}

function clipGaps(samples: Samples, hole: Hole): readonly Gap[] {
  const { fromMs, untilMs, isDated } = hole;
  const inside = indicesIn(samples, hole);
  const lastMs = inside.until > inside.from ? samples.timeAt(inside.until - 1) : -Infinity;
  return samples.gaps.flatMap((gap) => {
    // Without a recorded value after the gap, that of the device holds.
    if (isDated === true && (gap.untilMs ?? Infinity) > lastMs) return [];
    const from = Math.max(gap.fromMs, fromMs);
    const until = Math.min(gap.untilMs ?? Infinity, untilMs);
    return until > from ? [{ fromMs: from, untilMs: until, cause: gap.cause }] : [];
  });
}
