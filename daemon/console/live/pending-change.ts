import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import { RestFailure } from '../api/rest-failure.ts';
import type { PendingConfirmation, SnapshotList } from '../api/types.ts';

/** A change in force that is taken back unless somebody keeps it. */
export type PendingChange = NonNullable<PendingConfirmation['pending']> & {
  /** When it was made, in milliseconds since the epoch; undefined when its snapshot is not listed. */
  readonly madeAt: number | undefined;
};

const ROOT = '/services/configuration/v1';
const EVERY_MS = 5000;

/** How a change ended that waited, whoever ended it. */
export interface EndedChange {
  readonly snapshot: number;
  /** Number of the snapshot that is in force instead; undefined: it was kept. */
  readonly instead: number | undefined;
}

const current = signal<PendingChange | undefined>(undefined);
const ended = signal<EndedChange | undefined>(undefined);

/** The change that waits for confirmation, whoever made it. */
export const pendingChange: ReadonlySignal<PendingChange | undefined> = current;

/** How the change ended that waited last; undefined again when another one begins. */
export const endedChange: ReadonlySignal<EndedChange | undefined> = ended;

/** Asks anew whether a change waits, and how the one ended that has waited. */
export async function refreshPendingChange(rest: Rest, abort?: AbortSignal): Promise<void> {
  const { pending } = await rest.get<PendingConfirmation>(`${ROOT}/_confirm`, abort);
  const known = current.value;
  if (pending?.snapshot === known?.snapshot) {
    if (pending !== undefined) current.value = { ...pending, madeAt: known?.madeAt };
    return;
  }
  const { snapshots } = await rest.get<SnapshotList>(`${ROOT}/snapshots`, abort);
  // Two questions may be under way at once.
  if (current.value === known) ended.value = known === undefined ? undefined : howEnded(known, snapshots);
  const madeAt = snapshots.find(({ id }) => id === pending?.snapshot)?.createdAt;
  current.value = pending === undefined ? undefined : { ...pending, madeAt };
}

/** What takes a change back makes the next snapshot, which nobody is the author of. */
function howEnded({ snapshot }: PendingChange, snapshots: SnapshotList['snapshots']): EndedChange {
  const next = snapshots.findLast(({ id }) => id > snapshot);
  return { snapshot, instead: next !== undefined && next.author === undefined ? next.id : undefined };
}

/** Keeps the pending change up to date while the page is visible. */
export function usePendingChanges(rest: Rest, isPermitted: boolean): void {
  useEffect(() => {
    if (!isPermitted) return undefined;
    const abort = new AbortController();
    const ask = (): void => {
      // What failed is shown by the state of the link, or asked again.
      refreshPendingChange(rest, abort.signal).catch((error: unknown) => {
        if (!(error instanceof RestFailure) && !abort.signal.aborted) throw error;
      });
    };
    ask();
    const timer = setInterval(() => {
      if (!document.hidden) ask();
    }, EVERY_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [rest, isPermitted]);
}
