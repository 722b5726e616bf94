/** Rows of a list that follow each other. */
export interface RowWindow {
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
}

/** Most rows that are made at once: more would hold up keys and wheel on a slow machine. */
export const ROWS_AT_ONCE = 6;

/**
 * Returns the next step from the rows that are there to those that are wanted: what is wanted no more goes, and a few of the
 * others come, those that are seen first, from the top.
 *
 * @param seen within `wanted`
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
