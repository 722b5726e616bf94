import { useEffect, useRef, useState } from 'preact/hooks';

import { useResource } from '../../parts/use-resource.ts';

/** What the gateway has recorded after an id. */
interface Recorded<Entry> {
  /** Ascending by id. */
  readonly entries: readonly Entry[];
  /** Id after which the next request continues. */
  readonly newest: number;
  /** Another one: ids have begun again. */
  readonly run: string;
  /** True if entries between the id and these are no longer kept. */
  readonly isIncomplete: boolean;
}

interface FollowOptions<Entry> {
  /** See `useResource`. */
  readonly key: string;
  readonly everyMs: number;
  /** Number of entries that stay, the newest; the gateway keeps as many. */
  readonly kept: number;
  /** Requests what is newer; with undefined, all that is kept. */
  readonly load: (after: number | undefined, abort: AbortSignal) => Promise<Recorded<Entry>>;
}

/** Entries of a record of the gateway, as far as the page has received them. */
export interface Followed<Entry> {
  /** Ascending by id; undefined until loaded. */
  readonly entries: readonly Entry[] | undefined;
  /** True if entries between received ones are missing. */
  readonly isIncomplete: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Follows a record of the gateway: each request returns only the entries after the last one. */
export function useFollowed<Entry>({ key, everyMs, kept, load }: FollowOptions<Entry>): Followed<Entry> {
  const [entries, setEntries] = useState<readonly Entry[] | undefined>(undefined);
  const [isIncomplete, setIncomplete] = useState(false);
  const last = useRef<Recorded<Entry> | undefined>(undefined);
  const { value, error, reload } = useResource(key, (abort) => load(last.current?.newest, abort), {
    everyMs,
  });
  useEffect(() => {
    if (value === undefined) return;
    const before = last.current;
    // What began again has entries before these, from its first id on.
    if (before !== undefined && before.run !== value.run) {
      last.current = undefined;
      setEntries([]);
      setIncomplete(false);
      reload();
      return;
    }
    last.current = value;
    if (before !== undefined && value.isIncomplete) setIncomplete(true);
    setEntries((known = []) => [...known, ...value.entries].slice(-kept));
  }, [value]);
  return { entries, isIncomplete, error, reload };
}
