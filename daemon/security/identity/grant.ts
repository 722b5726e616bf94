import { createReason, sayReason } from '../../base/fault-reason.ts';
import { INTERFACE_FAULTS } from '../../interface/fault-sentences.ts';
import { z } from '../../base/schema.ts';
import { grantSchema, MAXIMUM_GRANTS } from '../../interface/plant/grant.ts';
import type { GRANT_OPERATIONS } from '../../interface/plant/grant.ts';

/** The grants of an identity. */
export const grantsSchema = z
  .array(grantSchema, sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_GRANTS', {})))
  .max(
    MAXIMUM_GRANTS,
    sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_AT_MOST_GRANTS', { bound: MAXIMUM_GRANTS })),
  );

export type GrantOperation = (typeof GRANT_OPERATIONS)[number];

/** A right of an identity on channels, optionally with an expiry. */
export interface Grant {
  /** Asset pid patterns; see `createPattern`. */
  readonly assets: readonly string[];
  /** Channel name patterns; absent: every channel. */
  readonly channels?: readonly string[] | undefined;
  readonly operations: readonly GrantOperation[];
  /** Expiry, ISO 8601 with time zone; absent: no expiry. */
  readonly until?: string | undefined;
  /** Reason, as free text. */
  readonly reason?: string | undefined;
}

/** Returns the expiry of a grant, in milliseconds since the epoch; Infinity if it has none. */
export function endOf({ until }: Pick<Grant, 'until'>): number {
  return until === undefined ? Infinity : Date.parse(until);
}

const WRITTEN_GRANTS = 20;

/** Formats grants in one line: their number, followed by the first ones. */
export function formatGrants(grants: readonly Grant[]): string {
  return [String(grants.length), ...grants.slice(0, WRITTEN_GRANTS).map(formatGrant)].join('; ');
}

/** Formats a grant in one line: `READ,WRITE boiler/setpoint until 2026-12-01T18:00:00Z (permit 4711)`. */
function formatGrant({ assets, channels, operations, until, reason }: Grant): string {
  const place = channels === undefined ? assets.join(',') : `${assets.join(',')}/${channels.join(',')}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `${operations.join(',')} ${place}${end}${reason === undefined ? '' : ` (${reason})`}`;
}
