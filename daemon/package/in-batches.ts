/**
 * Does the same with each of many, a few at a time; results are in the order of the items.
 *
 * @throws what the first of a batch throws; later batches do not begin then
 */
export async function mapInBatches<T, R>(
  items: readonly T[],
  size: number,
  act: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await Promise.all(items.slice(start, start + size).map(act))));
  }
  return results;
}
