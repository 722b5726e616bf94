import { ByteBudget } from '../../daemon/base/sharing/byte-budget.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import { ConnectionTable } from '../../daemon/server/http/connection/connection-table.ts';

/** Returns a budget that no well-behaved test meets. */
export function createByteBudget(): ByteBudget {
  return new ByteBudget({ maximumBytes: 64 * 2 ** 20, clock: systemClock });
}

/** Returns a table of connections for a port of a test. */
export function createConnectionTable(): ConnectionTable {
  return new ConnectionTable({ budget: createByteBudget(), isProxy: () => false });
}
