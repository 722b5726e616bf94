/** Outcome of a completed write: the device returned the value when read back, or confirmed it. */
export const DONE_WRITE_OUTCOMES = ['VERIFIED', 'ACKNOWLEDGED'] as const;

/**
 * Outcome of a write that is not completed for certain: the device refused it or returned a different value, nothing was sent, or it was
 * sent with an unknown outcome.
 */
export const FAILED_WRITE_OUTCOMES = ['REFUSED', 'NOT_SENT', 'UNKNOWN'] as const;

export type DoneWriteOutcome = (typeof DONE_WRITE_OUTCOMES)[number];
export type FailedWriteOutcome = (typeof FAILED_WRITE_OUTCOMES)[number];
