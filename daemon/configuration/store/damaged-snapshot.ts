import type { Slices } from '../../base/slices.ts';
import { StoreError } from '../../base/store/store.ts';

/**
 * Reads something of a snapshot.
 *
 * @throws {StoreError} `STORE_DAMAGED` if that fails
 */
export function* readOfSnapshot<Result>(id: number, work: Slices<Result>): Slices<Result> {
  try {
    return yield* work;
  } catch (cause) {
    const detail = `configuration snapshot ${id} in the store is damaged; restore a backup of the data directory`;
    throw new StoreError({ code: 'STORE_DAMAGED', detail, cause });
  }
}
