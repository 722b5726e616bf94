import type { Grant } from '../identity/grant.ts';
import type { z } from '../base/schema.ts';
import type { grantRecords } from '../interface/grant.ts';

/** Returns grants as clients see them, in the order in which they were given. */
export function toGrantRecords(grants: readonly Grant[]): z.infer<typeof grantRecords> {
  return grants.map(({ assets, channels, operations, until, reason }) => ({
    assets: [...assets],
    channels: channels && [...channels],
    operations: [...operations],
    until,
    reason,
  }));
}
