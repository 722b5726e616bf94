import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { RestFailure } from '../api/rest-failure.ts';
import { isStillPending } from '../api/still-pending.ts';

/** Last loaded state of a resource. */
export interface Resource<T> {
  /** Kept if a later request fails. */
  readonly value: T | undefined;
  /** Error of the last request; lost links and ended sessions are shown once for the whole page instead. */
  readonly error: unknown;
  /** Reloads. */
  readonly reload: () => void;
}

interface ResourceOptions {
  /** Refresh interval while the page is visible, signed in and connected; absent: load once. */
  readonly everyMs?: number;
  /** Also refresh while the page is hidden: its tab is still visible. */
  readonly isForTab?: boolean;
  /** Each other value reloads, with the last state kept until then. */
  readonly version?: string | number | undefined;
}

/**
 * Loads a resource, and reloads it when its dependencies change, when the gateway responds again, and after signing
 * in again.
 *
 * @param key identifies the resource; undefined loads nothing
 */
export function useResource<T>(
  key: string | undefined,
  load: (abort: AbortSignal) => Promise<T>,
  { everyMs, isForTab = false, version }: ResourceOptions = {},
): Resource<T> {
  const { rest, session } = useConsole();
  const [state, setState] = useState<{ key: string | undefined; value: T | undefined; error: unknown }>({
    key: undefined,
    value: undefined,
    error: undefined,
  });
  const [round, setRound] = useState(0);
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const { isUp } = rest.link.state.value;
  const latest = useRef(load);
  latest.current = load;
  const pendingSinceMs = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    pendingSinceMs.current = performance.now();
    const settle = (value: T | undefined, error: unknown): void => {
      if (abort.signal.aborted) return;
      pendingSinceMs.current = undefined;
      setState((before) => ({
        key,
        value: value ?? (before.key === key ? before.value : undefined),
        error,
      }));
    };
    latest.current(abort.signal).then(
      (value) => settle(value, undefined),
      (error: unknown) => settle(undefined, isSaidElsewhere(error) ? undefined : error),
    );
    return () => abort.abort();
  }, [key, round, version]);
  useEffect(() => {
    if (everyMs === undefined || key === undefined || !isSignedIn || !isUp) return undefined;
    const timer = setInterval(() => {
      if (isStillPending(pendingSinceMs.current)) return;
      if (isForTab || !document.hidden) setRound((before) => before + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, key, isSignedIn, isUp, isForTab]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const before = useRef({ isUp, isSignedIn });
  useEffect(() => {
    if ((isUp && !before.current.isUp) || (isSignedIn && !before.current.isSignedIn)) reload();
    before.current = { isUp, isSignedIn };
  }, [isUp, isSignedIn]);
  const isSame = state.key === key;
  return { value: isSame ? state.value : undefined, error: isSame ? state.error : undefined, reload };
}

function isSaidElsewhere(error: unknown): boolean {
  return error instanceof RestFailure && (error.status === 0 || error.status === 401);
}
