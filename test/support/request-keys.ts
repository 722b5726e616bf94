import type { Clock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import {
  idempotencyMigrations,
  IdempotencyStore,
} from '../../daemon/security/idempotency/idempotency-store.ts';

/** Creates a ledger of request keys in memory. */
export function createRequestKeys(clock: Clock): IdempotencyStore {
  return new IdempotencyStore({ store: openStore(':memory:', [idempotencyMigrations]), clock });
}
