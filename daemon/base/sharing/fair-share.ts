/** How much of a shared resource is in use. */
export interface Usage {
  /** By the party that asks for more. */
  readonly own: number;
  /** By all parties together, `own` included. */
  readonly used: number;
  readonly maximum: number;
  /** The most that one party may hold, however much is free. */
  readonly largestShare?: number | undefined;
}

/**
 * Returns whether one party may take more of a shared resource.
 *
 * No party may hold more than is left for all the others. One party alone gets half, further parties get shares that
 * shrink with what is left, and a newcomer always finds room (dynamic thresholds, as in shared buffers of network
 * switches).
 *
 * @param wanted how much more the party asks for
 */
export function isWithinShare(
  { own, used, maximum, largestShare = maximum }: Usage,
  wanted: number,
): boolean {
  return own + wanted <= Math.min(largestShare, maximum - used);
}
