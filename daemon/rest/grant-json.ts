import { z } from '../base/schema.ts';
import { MAXIMUM_GRANTS } from '../identity/grant.ts';
import type { Grant } from '../identity/grant.ts';
import { grantSchema } from '../identity/grant-schema.ts';

/** The grants of an identity, as clients see and send them. */
export const grantRecords = z
  .array(grantSchema.meta({ id: 'Grant' }))
  .max(MAXIMUM_GRANTS, `expected at most ${MAXIMUM_GRANTS} grants`);

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
