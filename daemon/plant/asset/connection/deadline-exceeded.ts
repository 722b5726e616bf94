import { createReason, explain } from '../../../base/fault-reason.ts';
import { ConnectionError } from '../../../channel/driver-errors.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';

/** Creates the error for a call that got no response in its time. */
export function deadlineExceeded(timeoutMs: number): ConnectionError {
  const reason = createReason(PLANT_FAILURES, 'CONNECTION_SILENT', { timeoutMs });
  return new ConnectionError({ code: 'DEADLINE_EXCEEDED', ...explain(reason) });
}
