import { LastWrites, lastWriteMigrations } from '../../daemon/plant/asset/write/last-writes.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';

/** Creates notes of last writes that live as long as the process. */
export function createLastWrites(clock: Clock): LastWrites {
  return new LastWrites({ store: openStore(':memory:', [lastWriteMigrations]), clock });
}
