import type { Random } from '../world/random.ts';
import type { KeptFault } from '../world/truth.ts';

const SHORTEST_MS = 500;

/** The faults of one kind that a thing can have. */
export interface FaultTimesOptions {
  /** Begins the id of each, before a `#`. */
  readonly prefix: string;
  /** How far apart they are on average, in milliseconds. */
  readonly meanMs: number;
  readonly endMs: number;
  /** Absent for what is over at once. */
  readonly longestMs?: number | undefined;
  /** Faults that come instead of drawn ones. */
  readonly kept?: readonly KeptFault[] | undefined;
}

/** When a fault begins and ends, and where everything else is drawn from. */
export interface FaultTimes extends Pick<KeptFault, 'id' | 'startMs' | 'endMs'> {
  readonly random: Random;
}

/** Draws when faults of one kind come: at any time. */
export function drawFaultTimes(
  random: Random,
  { prefix, meanMs, endMs, longestMs, kept }: FaultTimesOptions,
): readonly FaultTimes[] {
  const known = kept?.filter(({ id }) => id.startsWith(`${prefix}#`));
  const starts = known === undefined ? drawStarts(random, meanMs, endMs) : known.map(readIndex);
  return starts.map(({ index, startMs }) => {
    const own = random.branch(String(index));
    const id = `${prefix}#${index + 1}`;
    const drawnMs = longestMs === undefined ? 0 : drawDurationMs(own, longestMs);
    const keptEndMs = known?.find((fault) => fault.id === id)?.endMs;
    return { id, startMs, endMs: keptEndMs ?? startMs + drawnMs, random: own };
  });
}

interface Start {
  readonly index: number;
  readonly startMs: number;
}

function readIndex({ id, startMs }: KeptFault): Start {
  return { index: Number(id.slice(id.lastIndexOf('#') + 1)) - 1, startMs };
}

function drawStarts(random: Random, meanMs: number, endMs: number): readonly Start[] {
  const starts: Start[] = [];
  for (let atMs = random.exponential(meanMs); atMs < endMs; atMs += random.exponential(meanMs)) {
    starts.push({ index: starts.length, startMs: Math.round(atMs) });
  }
  return starts;
}

// Most are short: what is gone after a moment is another thing than what stays away.
function drawDurationMs(random: Random, longestMs: number): number {
  return Math.round(SHORTEST_MS + (longestMs - SHORTEST_MS) * random.fraction() ** 2);
}
