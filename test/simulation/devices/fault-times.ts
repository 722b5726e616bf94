import type { Random } from '../world/random.ts';

const SHORTEST_MS = 500;

/** Draws the starts of faults of one kind, in milliseconds: at any time, and this far apart on average. */
export function drawStarts(random: Random, meanMs: number, endMs: number): readonly number[] {
  const starts: number[] = [];
  for (let atMs = random.exponential(meanMs); atMs < endMs; atMs += random.exponential(meanMs)) {
    starts.push(Math.round(atMs));
  }
  return starts;
}

/** Draws how long a fault lasts. Most are short: what is gone after a moment is another thing than what stays away. */
export function drawDurationMs(random: Random, longestMs: number): number {
  return Math.round(SHORTEST_MS + (longestMs - SHORTEST_MS) * random.fraction() ** 2);
}
