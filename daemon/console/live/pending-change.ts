import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Rest } from '../api/rest.ts';
import type {
  listSnapshots,
  PendingConfirmation,
  readPendingChange,
  SnapshotHead,
} from '../../interface/configuration/configuration.ts';
import { usePolling } from './use-polling.ts';

/** Active change that reverts unless confirmed. */
export type PendingChange = NonNullable<PendingConfirmation['pending']> & {
  /** Time of the change, in milliseconds since the epoch; undefined if its snapshot is not listed. */
  readonly madeAt: number | undefined;
};

const ROOT = '/services/configuration/v1';
const EVERY_MS = 5000;

/** Outcome of a pending change, ended by any session. */
export interface ChangeOutcome {
  readonly snapshot: number;
  /** Number of the snapshot that it reverted to; undefined: it was confirmed. */
  readonly instead: number | undefined;
}

const current = signal<PendingChange | undefined>(undefined);
const ended = signal<ChangeOutcome | undefined>(undefined);

/** Pending change, of any author. */
export const pendingChange: ReadonlySignal<PendingChange | undefined> = current;

/** Outcome of the last pending change; undefined while another one is pending. */
export const changeOutcome: ReadonlySignal<ChangeOutcome | undefined> = ended;

/** Refreshes the pending change and the outcome of the previous one. */
export async function refreshPendingChange(rest: Rest, abort?: AbortSignal): Promise<void> {
  const { pending } = await rest.call<typeof readPendingChange>('GET', `${ROOT}/_confirm`, { abort });
  const known = current.value;
  if (pending?.snapshot === known?.snapshot) {
    if (pending !== undefined) current.value = { ...pending, madeAt: known?.madeAt };
    return;
  }
  const { snapshots } = await rest.call<typeof listSnapshots>('GET', `${ROOT}/snapshots`, { abort });
  // Two requests can overlap.
  if (current.value === known) ended.value = known === undefined ? undefined : findOutcome(known, snapshots);
  const madeAt = snapshots.find(({ id }) => id === pending?.snapshot)?.createdAt;
  current.value = pending === undefined ? undefined : { ...pending, madeAt };
}

/** A revert creates the next snapshot, which has no author. */
function findOutcome({ snapshot }: PendingChange, snapshots: readonly SnapshotHead[]): ChangeOutcome {
  const next = snapshots.findLast(({ id }) => id > snapshot);
  return { snapshot, instead: next !== undefined && next.author === undefined ? next.id : undefined };
}

/** Refreshes the pending change while the page is visible. */
export function usePendingChanges(rest: Rest, isPermitted: boolean): void {
  usePolling({ rest, isWanted: isPermitted, everyMs: EVERY_MS, refresh: refreshPendingChange });
}
