/** Usage of a shared resource. */
export interface Usage {
  /** By the requesting party. */
  readonly own: number;
  /** By all parties together, including `own`. */
  readonly used: number;
  readonly maximum: number;
  /** Maximum of one party, even if more is free. */
  readonly largestShare?: number | undefined;
}

/**
 * Returns true if a party may use more of a shared resource.
 *
 * No party may use more than is left for all the others. A single party may use half, further parties shares that
 * shrink with the rest, and a newcomer always finds capacity (dynamic thresholds, as in shared buffers of network
 * switches).
 *
 * @param wanted additional amount requested
 */
export function isWithinShare(
  { own, used, maximum, largestShare = maximum }: Usage,
  wanted: number,
): boolean {
  return own + wanted <= Math.min(largestShare, maximum - used);
}
