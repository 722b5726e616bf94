import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Rest } from '../api/rest.ts';
import type { ScanSummary, ShownScan } from '../../interface/plant/scans.ts';
import type * as scans from '../../interface/plant/scans.ts';
import { usePolling } from './use-polling.ts';

const WHILE_RUNNING_MS = 1000;
// Scans of other tabs are found too.
const OTHERWISE_MS = 10_000;

const current = signal<readonly ScanSummary[]>([]);
const seen = signal<ReadonlySet<string>>(new Set());

/** Scans of the signed-in identity, newest first. */
export const ownScans: ReadonlySignal<readonly ScanSummary[]> = current;

/** Ids of scans whose end was shown to the user. */
export const seenScans: ReadonlySignal<ReadonlySet<string>> = seen;

/** Records that the end of a scan was shown to the user. */
export function recordSeenScan(id: string): void {
  if (!seen.value.has(id)) seen.value = new Set(seen.value).add(id);
}

/** Fetches the list of scans. */
async function refreshOwnScans(rest: Rest, abort?: AbortSignal): Promise<void> {
  const found = await rest.call<typeof scans.listScans>('GET', '/services/drivers/v1/_scans', { abort });
  current.value = found.scans;
}

/** Starts a background scan. */
export async function startScan(
  rest: Rest,
  body: { readonly type: string; readonly settings: Readonly<Record<string, unknown>> },
): Promise<ShownScan> {
  const begun = await rest.call<typeof scans.startScan>('POST', '/services/drivers/v1/_scans', { body });
  await refreshOwnScans(rest);
  return begun;
}

/** Reads the state and results of a scan. */
export function findScan(rest: Rest, id: string, abort?: AbortSignal): Promise<ShownScan> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}` as const;
  return rest.call<typeof scans.readScan>('GET', target, { abort });
}

/** Stops a scan and keeps the results so far. */
export async function stopScan(rest: Rest, id: string): Promise<void> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}/_stop` as const;
  await rest.call<typeof scans.stopScan>('POST', target);
  await refreshOwnScans(rest);
}

/** Discards a scan. */
export async function forgetScan(rest: Rest, id: string): Promise<void> {
  const target = `/services/drivers/v1/_scans/${encodeURIComponent(id)}` as const;
  await rest.call<typeof scans.forgetScan>('DELETE', target);
  await refreshOwnScans(rest);
}

/** Refreshes the own scans while the page is visible. */
export function useOwnScans(rest: Rest, isPermitted: boolean): void {
  const isRunning = current.value.some(({ state }) => state === 'RUNNING');
  const everyMs = isRunning ? WHILE_RUNNING_MS : OTHERWISE_MS;
  usePolling({ rest, isWanted: isPermitted, everyMs, refresh: refreshOwnScans });
  // Scans belong to one identity.
  useEffect(
    () => () => {
      current.value = [];
    },
    [],
  );
}
