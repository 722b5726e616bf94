import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import type { KeptScan, ShownScan } from '../../interface/plant/scans.ts';
import type * as scans from '../../interface/plant/scans.ts';
import { usePolling } from './use-polling.ts';

const WHILE_RUNNING_MS = 1000;
// One that was begun in another tab is found as well.
const OTHERWISE_MS = 10_000;

const current = signal<readonly KeptScan[]>([]);
const seen = signal<ReadonlySet<string>>(new Set());

/** The scans of the signed-in identity, newest first. */
export const ownScans: ReadonlySignal<readonly KeptScan[]> = current;

/** Ids of scans whose end was shown to a person. */
export const seenScans: ReadonlySignal<ReadonlySet<string>> = seen;

/** Notes that a person sees how a scan ended. */
export function recordSeenScan(id: string): void {
  if (!seen.value.has(id)) seen.value = new Set(seen.value).add(id);
}

/** Fetches the list of scans. */
async function refreshOwnScans(rest: Rest, abort?: AbortSignal): Promise<void> {
  const found = await rest.call<typeof scans.listScans>('GET', '/services/drivers/v1/_scans', { abort });
  current.value = found.scans;
}

/** Has the gateway begin a scan, which goes on without the page. */
export async function startScan(
  rest: Rest,
  body: { readonly type: string; readonly settings: Readonly<Record<string, unknown>> },
): Promise<ShownScan> {
  const begun = await rest.call<typeof scans.startScan>('POST', '/services/drivers/v1/_scans', { body });
  await refreshOwnScans(rest);
  return begun;
}

/** Asks for all that is known of a scan. */
export function findScan(rest: Rest, id: string, abort?: AbortSignal): Promise<ShownScan> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}` as const;
  return rest.call<typeof scans.readScan>('GET', target, { abort });
}

/** Ends a scan with what it found until now. */
export async function stopScan(rest: Rest, id: string): Promise<void> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}/_stop` as const;
  await rest.call<typeof scans.stopScan>('POST', target);
  await refreshOwnScans(rest);
}

/** Forgets a scan. */
export async function forgetScan(rest: Rest, id: string): Promise<void> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}` as const;
  await rest.call<typeof scans.forgetScan>('DELETE', target);
  await refreshOwnScans(rest);
}

/** Keeps the own scans up to date while the page is visible. */
export function useOwnScans(rest: Rest, isPermitted: boolean): void {
  const isRunning = current.value.some(({ state }) => state === 'RUNNING');
  const everyMs = isRunning ? WHILE_RUNNING_MS : OTHERWISE_MS;
  usePolling({ rest, isWanted: isPermitted, everyMs, refresh: refreshOwnScans });
  // The next identity has others.
  useEffect(
    () => () => {
      current.value = [];
    },
    [],
  );
}
