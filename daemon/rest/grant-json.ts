import { z } from '../base/schema.ts';
import type { Grant } from '../identity/grant.ts';
import { grantSchema } from '../identity/grant-schema.ts';

/** The grants of an identity, as clients see them. */
export const grantRecords = z.array(grantSchema.meta({ id: 'Grant' }));

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
