/** Range of rows. */
export interface RowWindow {
  readonly first: number;
  /** Exclusive end. */
  readonly end: number;
}

/** Maximum rows rendered at once: more would delay keys and wheel on a slow machine. */
export const ROWS_AT_ONCE = 6;

/**
 * Returns the next step from the rendered rows to the wanted ones: unwanted rows are removed, and a few
 * missing ones added, visible rows first, from the top.
 *
 * @param seen visible rows, within `wanted`
 */
export function stepTowards(present: RowWindow, wanted: RowWindow, seen: RowWindow): RowWindow {
  let first = Math.max(present.first, wanted.first);
  let end = Math.min(present.end, wanted.end);
  if (first >= end) [first, end] = [seen.first, seen.first];
  let room = ROWS_AT_ONCE;
  for (const goal of [seen, wanted]) {
    const below = Math.min(room, Math.max(0, goal.end - end));
    const above = Math.min(room - below, Math.max(0, first - goal.first));
    end += below;
    first -= above;
    room -= below + above;
  }
  return { first, end };
}
