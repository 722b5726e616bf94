import type { JSX } from 'preact';

import { route, setQuery } from '../../parts/route.ts';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';

/** Rows shown at first, and added at each step. */
export const STEP = 200;

/** Text that the shown rows contain; part of the link. */
export function FilterField(): JSX.Element {
  return (
    <label class="field">
      <span>{fill(RECORD.filter)}</span>
      <input
        type="search"
        name="filter"
        value={route.value.query.get('filter') ?? ''}
        onInput={({ currentTarget }) => setQuery('filter', currentTarget.value)}
      />
    </label>
  );
}

/** Button that shows one step more of a list; nothing if all of it is shown. */
export function ShowMore({
  length,
  most,
  onMore,
}: {
  readonly length: number;
  readonly most: number;
  readonly onMore: (most: number) => void;
}): JSX.Element | undefined {
  if (length <= most) return undefined;
  return (
    <button type="button" onClick={() => onMore(most + STEP)}>
      {fill(RECORD.more, { count: Math.min(STEP, length - most) })}
    </button>
  );
}
