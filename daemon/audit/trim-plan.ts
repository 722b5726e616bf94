/**
 * Returns how many of the oldest rows of each group have to go, so that `maximum` remain in all.
 *
 * Each row is taken from the group that has the most then: those who can fill one group cannot push out the rows of
 * the others.
 *
 * @param counts rows of each group
 * @returns only groups that lose rows
 */
export function planTrim(counts: ReadonlyMap<string, number>, maximum: number): ReadonlyMap<string, number> {
  const remaining = [...counts].map(([kind, rows]) => ({ kind, rows }));
  const total = remaining.reduce((sum, { rows }) => sum + rows, 0);
  for (let excess = total - maximum; excess > 0; excess -= 1) {
    let largest = remaining[0];
    for (const candidate of remaining) if (candidate.rows > (largest?.rows ?? 0)) largest = candidate;
    if (largest !== undefined) largest.rows -= 1;
  }
  return new Map(
    remaining.flatMap(({ kind, rows }) => {
      const surplus = (counts.get(kind) ?? 0) - rows;
      return surplus > 0 ? [[kind, surplus] as const] : [];
    }),
  );
}
