/** What a grant permits on its channels. */
export const GRANT_OPERATIONS = ['READ', 'WRITE'] as const;
export type GrantOperation = (typeof GRANT_OPERATIONS)[number];

/** Grants of one identity: enough to name every channel of a plant one by one, few enough to check them at once. */
export const MAXIMUM_GRANTS = 10_000;

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
