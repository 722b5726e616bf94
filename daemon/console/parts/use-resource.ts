import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { RestFailure } from '../api/rest-failure.ts';

/** What a resource held when it was last asked for. */
export interface Resource<T> {
  /** Stays when a later request fails. */
  readonly value: T | undefined;
  /** Why it was refused; that the gateway is silent, or the session has ended, is said once for the whole page. */
  readonly error: unknown;
  /** Asks again. */
  readonly reload: () => void;
}

interface ResourceOptions {
  /** Asks again after this time, while the page is visible, somebody is signed in and the gateway answers; absent: once. */
  readonly everyMs?: number;
  /** Asks while the page is hidden as well: what its tab says is seen. */
  readonly isForTab?: boolean;
}

/**
 * Asks for a resource, and again when what it depends on changes, when the gateway is back after a silence, and after signing
 * in again.
 *
 * @param key names what is asked for; undefined asks for nothing
 */
export function useResource<T>(
  key: string | undefined,
  load: (abort: AbortSignal) => Promise<T>,
  { everyMs, isForTab = false }: ResourceOptions = {},
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
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    const settle = (value: T | undefined, error: unknown): void => {
      if (abort.signal.aborted) return;
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
  }, [key, round]);
  useEffect(() => {
    if (everyMs === undefined || key === undefined || !isSignedIn || !isUp) return undefined;
    const timer = setInterval(() => {
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
