/** Code of a write or a call that was sent, and of which no answer tells what it did. */
export const OUTCOME_UNKNOWN_CODE = 'OPCUA_WRITE_OUTCOME_UNKNOWN';

// With these a server reports that it asked the device beneath and does not know the outcome.
const OPEN_STATUSES: ReadonlySet<string> = new Set(['BadTimeout', 'BadCommunicationError']);

/** Whether the status of one node or method leaves open what was done. */
export function leavesOutcomeOpen(status: string): boolean {
  return OPEN_STATUSES.has(status);
}
