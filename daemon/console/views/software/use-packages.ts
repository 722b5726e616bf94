import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type {
  InstalledPackage,
  listOperations,
  listPackages,
  PackageOperation,
} from '../../../interface/software/packages.ts';
import { useResource } from '../../parts/use-resource.ts';

/** Installed packages and package operations. */
export interface Packages {
  readonly installed: readonly InstalledPackage[] | undefined;
  /** Newest first. */
  readonly operations: readonly PackageOperation[] | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

const ROOT = '/services/deploy/v2';
const BUSY_MS = 1000;
const IDLE_MS = 10_000;

/** Polls packages and operations; more often while an operation runs. */
export function usePackages(): Packages {
  const { rest } = useConsole();
  const [isBusy, setBusy] = useState(false);
  const operations = useResource(
    'operations',
    (abort) => rest.call<typeof listOperations>('GET', `${ROOT}/_status`, { abort }),
    { everyMs: isBusy ? BUSY_MS : IDLE_MS },
  );
  const hasRunning = (operations.value ?? []).some(isRunning);
  useEffect(() => setBusy(hasRunning), [hasRunning]);
  // Packages change when an operation ends.
  const ended = (operations.value ?? []).filter((operation) => !isRunning(operation)).length;
  const newest = operations.value?.find((operation) => !isRunning(operation))?.id ?? '';
  const installed = useResource(
    'installed',
    (abort) => rest.call<typeof listPackages>('GET', ROOT, { abort }),
    { everyMs: IDLE_MS, version: `${ended} ${newest}` },
  );
  return {
    installed: installed.value,
    operations: operations.value,
    error: installed.error ?? operations.error,
    reload: () => {
      installed.reload();
      operations.reload();
    },
  };
}

/** True if an operation has not ended yet. */
export function isRunning({ state }: PackageOperation): boolean {
  return state === 'QUEUED' || state === 'RUNNING';
}
