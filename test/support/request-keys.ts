import type { Clock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { idempotencyMigrations, KeyLedger } from '../../daemon/security/idempotency/key-ledger.ts';

/** Creates a ledger of request keys in memory. */
export function createRequestKeys(clock: Clock): KeyLedger {
  return new KeyLedger({ store: openStore(':memory:', [idempotencyMigrations]), clock });
}
