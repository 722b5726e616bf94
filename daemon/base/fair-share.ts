/** How much of something is taken. */
export interface Usage {
  /** By the one who asks for more. */
  readonly own: number;
  /** By all together, `own` included. */
  readonly used: number;
  readonly maximum: number;
  /** The most that one may have, however much is free. */
  readonly largestShare?: number | undefined;
}

/**
 * Says whether somebody may take more of what others need as well.
 *
 * Nobody may have more than is left for all the others. So one alone gets half, further ones get shares that shrink with
 * what is left, and a newcomer finds room whatever those before have taken (dynamic thresholds, as in shared buffers of
 * network switches).
 *
 * @param wanted how much more is asked for
 */
export function isWithinShare(
  { own, used, maximum, largestShare = maximum }: Usage,
  wanted: number,
): boolean {
  return own + wanted <= Math.min(largestShare, maximum - used);
}
