import { z } from '../../base/schema.ts';
import { grantSchema, MAXIMUM_GRANTS } from '../../interface/plant/grant.ts';
import type { GRANT_OPERATIONS } from '../../interface/plant/grant.ts';

/** The grants of an identity. */
export const grantsSchema = z
  .array(grantSchema, 'expected a list of grants')
  .max(MAXIMUM_GRANTS, `expected at most ${MAXIMUM_GRANTS} grants`);

export type GrantOperation = (typeof GRANT_OPERATIONS)[number];

/** A right of an identity on some channels, possibly for a time. */
export interface Grant {
  /** Patterns of pids of assets; see `createPattern`. */
  readonly assets: readonly string[];
  /** Patterns of names of channels; absent: every channel. */
  readonly channels?: readonly string[] | undefined;
  readonly operations: readonly GrantOperation[];
  /** The moment at which it ends: ISO 8601 with a time zone; absent: it does not end. */
  readonly until?: string | undefined;
  /** Why it was given, for people. */
  readonly reason?: string | undefined;
}

/** Returns the moment at which a grant ends, in milliseconds since the epoch; Infinity when it does not. */
export function endOf({ until }: Pick<Grant, 'until'>): number {
  return until === undefined ? Infinity : Date.parse(until);
}

const WRITTEN_GRANTS = 20;

/** Writes grants in one line: their number, and then the first of them. */
export function formatGrants(grants: readonly Grant[]): string {
  return [String(grants.length), ...grants.slice(0, WRITTEN_GRANTS).map(formatGrant)].join('; ');
}

/** Writes a grant in one line: `READ,WRITE boiler/setpoint until 2026-12-01T18:00:00Z (permit 4711)`. */
function formatGrant({ assets, channels, operations, until, reason }: Grant): string {
  const place = channels === undefined ? assets.join(',') : `${assets.join(',')}/${channels.join(',')}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `${operations.join(',')} ${place}${end}${reason === undefined ? '' : ` (${reason})`}`;
}
