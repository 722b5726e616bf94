/** What became of a write that is done: the device holds the value, or the device confirmed it. */
export const DONE_WRITE_OUTCOMES = ['VERIFIED', 'ACKNOWLEDGED'] as const;

/**
 * What became of a write that is not done for certain: the device said no or holds another value, nothing was sent, or it was
 * sent and nobody knows.
 */
export const FAILED_WRITE_OUTCOMES = ['REFUSED', 'NOT_SENT', 'UNKNOWN'] as const;

export type DoneWriteOutcome = (typeof DONE_WRITE_OUTCOMES)[number];
export type FailedWriteOutcome = (typeof FAILED_WRITE_OUTCOMES)[number];
