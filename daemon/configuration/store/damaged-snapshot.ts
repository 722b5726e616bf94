import type { Slices } from '../../base/slices.ts';
import { StoreError } from '../../base/store/store.ts';

/**
 * Reads something of a snapshot.
 *
 * @param exists whether the snapshot is still stored
 * @returns undefined if it was deleted in the middle
 * @throws {StoreError} `STORE_DAMAGED` if that fails
 */
export function* readOfSnapshot<Result>(
  id: number,
  work: Slices<Result>,
  exists: () => boolean,
): Slices<Result | undefined> {
  try {
    return yield* work;
  } catch (cause) {
    if (!exists()) return undefined;
    const detail = `configuration snapshot ${id} in the store is damaged; restore a backup of the data directory`;
    throw new StoreError({ code: 'STORE_DAMAGED', detail, cause });
  }
}
