import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { ShownScan } from '../../../interface/scans.ts';
import { findScan, noteSeenScan, ownScans } from '../../live/own-scans.ts';
import { route, setQuery } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';

interface ShownScanState {
  readonly scan: ShownScan | undefined;
  /** The scan of the address is not known any more. */
  readonly isGone: boolean;
  readonly reload: () => void;
  /** Shows no scan: the form is about another device now. */
  readonly setAside: () => void;
}

// News come with the list; this is for a request that failed.
const AGAIN_MS = 10_000;

/** Returns the scan of the address, else the one that was begun last, as it comes along. */
export function useShownScan(): ShownScanState {
  const { rest } = useConsole();
  const [isAside, setIsAside] = useState(false);
  const named = route.value.query.get('scan');
  const id = named ?? (isAside ? undefined : ownScans.value[0]?.id);
  const head = ownScans.value.find((candidate) => candidate.id === id);
  const [isSettled, setSettled] = useState(false);
  const asking = isSettled ? {} : { everyMs: AGAIN_MS };
  const { value, error, reload } = useResource(id, (abort) => findScan(rest, id ?? '', abort), asking);
  const news = `${head?.state ?? ''} ${head?.found ?? 0}`;
  useEffect(reload, [reload, news]);
  useEffect(() => {
    const hasEnded = value !== undefined && value.state !== 'RUNNING';
    setSettled(hasEnded);
    if (hasEnded) noteSeenScan(value.id);
  }, [value]);
  return {
    // How far it is comes with the list, every second.
    scan: value === undefined ? undefined : { ...value, ...(value.state === 'RUNNING' ? head : undefined) },
    isGone: value === undefined && error instanceof RestFailure && error.status === 404,
    reload,
    setAside: () => {
      setIsAside(true);
      setQuery('scan', '');
    },
  };
}
