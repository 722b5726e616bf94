import { UsageError } from './command-error.ts';
import { formatTable } from './table.ts';

/** A right on some channels, as the gateway takes and shows it. */
export interface GrantInfo {
  readonly assets: readonly string[];
  readonly channels?: readonly string[] | undefined;
  readonly operations: readonly string[];
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
}

/** An option that gives one right with each use. */
export const GRANT_OPTION = {
  grant: {
    value: 'GRANT',
    help: 'right on some channels, such as READ:line1-* or READ,WRITE:boiler/setpoint@2026-12-01T18:00:00Z',
    isRepeated: true,
  },
} as const;

// Names have neither commas nor slashes, and may have the sign before the time.
const GRANT =
  /^(?<operations>[A-Za-z,]+):(?<assets>[^/]+)(?:\/(?<channels>[^/]+?))?(?:@(?<until>\d{4}-.*))?$/;
// Without channels, the time would be taken for the end of an asset.
const ENDED_ASSETS = /^(?<assets>.+)@(?<until>\d{4}-.*)$/;

/**
 * Reads a grant: operations, a colon, patterns of assets, possibly a slash and patterns of channels, and possibly `@` and
 * the time at which it ends; lists have commas. The gateway checks the patterns and the time.
 *
 * @throws {UsageError}
 */
export function parseGrant(text: string): GrantInfo {
  const parts = GRANT.exec(text)?.groups;
  if (parts === undefined) {
    throw new UsageError(
      `--grant ${JSON.stringify(text)}: expected a right such as READ:line1-* or READ,WRITE:boiler/setpoint`,
    );
  }
  const { operations = '', channels } = parts;
  const ended = channels === undefined ? ENDED_ASSETS.exec(parts['assets'] ?? '')?.groups : undefined;
  const { assets = '', until } = { ...parts, ...ended };
  return {
    assets: assets.split(','),
    ...(channels === undefined ? {} : { channels: channels.split(',') }),
    operations: operations.toUpperCase().split(','),
    ...(until === undefined ? {} : { until }),
  };
}

/** Returns whether a grant has ended, by the clock of this machine. */
export function hasEnded({ until }: GrantInfo): boolean {
  return until !== undefined && Date.parse(until) <= Date.now();
}

/** Formats grants as a table, with the numbers under which `identity revoke` takes them. */
export function formatGrants(grants: readonly GrantInfo[]): string {
  return formatTable(
    [
      { title: 'GRANT', show: ({ number }) => number },
      { title: 'OPERATIONS', show: ({ grant }) => grant.operations.join(',') },
      { title: 'ASSETS', show: ({ grant }) => grant.assets.join(' ') },
      { title: 'CHANNELS', show: ({ grant }) => grant.channels?.join(' ') ?? 'all' },
      {
        title: 'UNTIL',
        isOptional: true,
        show: ({ grant }) => (hasEnded(grant) ? `${grant.until ?? ''} (ended)` : (grant.until ?? '')),
      },
      { title: 'REASON', isOptional: true, show: ({ grant }) => grant.reason ?? '' },
    ],
    grants.map((grant, index) => ({ grant, number: index + 1 })),
  );
}
