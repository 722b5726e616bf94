import { Conflict } from '../base/errors.ts';
import type { UnconfirmedChange } from './store/snapshot-store.ts';

/**
 * Returns the change that waits for confirmation when it is the one that a caller has looked at.
 *
 * @param expectedSnapshotId number of the snapshot that the caller means; undefined: whichever waits
 * @throws {Conflict} `CONFIRMATION_NOT_PENDING` when none waits, `CONFIRMATION_OF_ANOTHER` when another one does
 */
export function requirePendingChange<Change extends Pick<UnconfirmedChange, 'snapshotId'>>(
  waiting: Change | undefined,
  expectedSnapshotId: number | undefined,
): Change {
  if (waiting === undefined) {
    throw new Conflict({ code: 'CONFIRMATION_NOT_PENDING', detail: 'no change is pending confirmation' });
  }
  if (expectedSnapshotId !== undefined && waiting.snapshotId !== expectedSnapshotId) {
    const detail = `the pending change is snapshot ${waiting.snapshotId}, not ${expectedSnapshotId}`;
    throw new Conflict({ code: 'CONFIRMATION_OF_ANOTHER', detail });
  }
  return waiting;
}
