import { Conflict } from '../base/errors.ts';
import type { UnconfirmedChange } from './store/snapshot-store.ts';

/**
 * Returns the pending change if it is the one the caller named.
 *
 * @param expectedSnapshotId number of the snapshot that the caller named; undefined: any
 * @throws {Conflict} `CONFIRMATION_NOT_PENDING` if none is pending, `CONFIRMATION_OF_ANOTHER` if another one is
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
