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

/** A change in force that is taken back unless somebody keeps it. */
export type PendingChange = NonNullable<PendingConfirmation['pending']> & {
  /** When it was made, in milliseconds since the epoch; undefined when its snapshot is not listed. */
  readonly madeAt: number | undefined;
};

const ROOT = '/services/configuration/v1';
const EVERY_MS = 5000;

/** The end of a pending change, by this session or another. */
export interface ChangeOutcome {
  readonly snapshot: number;
  /** Number of the snapshot that is in force instead; undefined: it was kept. */
  readonly instead: number | undefined;
}

const current = signal<PendingChange | undefined>(undefined);
const ended = signal<ChangeOutcome | undefined>(undefined);

/** The change that waits for confirmation, whoever made it. */
export const pendingChange: ReadonlySignal<PendingChange | undefined> = current;

/** How the last pending change ended; undefined once another one waits. */
export const changeOutcome: ReadonlySignal<ChangeOutcome | undefined> = ended;

/** Asks whether a change waits now, and how the one before it ended. */
export async function refreshPendingChange(rest: Rest, abort?: AbortSignal): Promise<void> {
  const { pending } = await rest.call<typeof readPendingChange>('GET', `${ROOT}/_confirm`, { abort });
  const known = current.value;
  if (pending?.snapshot === known?.snapshot) {
    if (pending !== undefined) current.value = { ...pending, madeAt: known?.madeAt };
    return;
  }
  const { snapshots } = await rest.call<typeof listSnapshots>('GET', `${ROOT}/snapshots`, { abort });
  // Two questions may be under way at once.
  if (current.value === known) ended.value = known === undefined ? undefined : findOutcome(known, snapshots);
  const madeAt = snapshots.find(({ id }) => id === pending?.snapshot)?.createdAt;
  current.value = pending === undefined ? undefined : { ...pending, madeAt };
}

/** What takes a change back makes the next snapshot, which nobody is the author of. */
function findOutcome({ snapshot }: PendingChange, snapshots: readonly SnapshotHead[]): ChangeOutcome {
  const next = snapshots.findLast(({ id }) => id > snapshot);
  return { snapshot, instead: next !== undefined && next.author === undefined ? next.id : undefined };
}

/** Keeps the pending change up to date while the page is visible. */
export function usePendingChanges(rest: Rest, isPermitted: boolean): void {
  usePolling({ rest, isWanted: isPermitted, everyMs: EVERY_MS, refresh: refreshPendingChange });
}
