import { GRANT_OPERATIONS } from '../../interface/plant/grant.ts';
import type { Grant } from '../../interface/plant/grant.ts';
import { UsageError } from '../command-error.ts';
import { suggest } from '../terminal/suggestion.ts';
import { formatTable } from '../terminal/table.ts';

/** Repeatable option with one grant each. */
export const GRANT_OPTION = {
  grant: {
    value: 'GRANT',
    help: 'access to channels, for example READ:line1-* or READ,WRITE:boiler/setpoint@2026-12-01T18:00:00Z',
    isRepeated: true,
  },
} as const;

// Names contain neither commas nor slashes, but possibly the sign before the time.
const GRANT =
  /^(?<operations>[A-Za-z,]+):(?<assets>[^/]+)(?:\/(?<channels>[^/]+?))?(?:@(?<until>\d{4}-.*))?$/;
// Without channels, the time would become part of an asset name.
const ENDED_ASSETS = /^(?<assets>.+)@(?<until>\d{4}-.*)$/;

/**
 * Parses a grant: operations, a colon, asset patterns, optionally a slash and channel patterns, optionally `@` and the
 * expiry time; lists are separated by commas. The gateway validates patterns and time.
 *
 * @throws {UsageError}
 */
export function parseGrant(text: string): Grant {
  const parts = GRANT.exec(text)?.groups;
  if (parts === undefined) {
    throw new UsageError(
      `--grant ${JSON.stringify(text)}: expected a grant such as READ:line1-* or READ,WRITE:boiler/setpoint`,
    );
  }
  const { operations = '', channels } = parts;
  const ended = channels === undefined ? ENDED_ASSETS.exec(parts['assets'] ?? '')?.groups : undefined;
  const { assets = '', until } = { ...parts, ...ended };
  return {
    assets: assets.split(','),
    ...(channels === undefined ? {} : { channels: channels.split(',') }),
    operations: operations.split(',').map((name) => readOperation('grant', name)),
    ...(until === undefined ? {} : { until }),
  };
}

/**
 * Parses an operation of a grant, case-insensitively.
 *
 * @param option option name for the message
 * @throws {UsageError}
 */
export function readOperation(option: string, name: string): Grant['operations'][number] {
  const operation = GRANT_OPERATIONS.find((each) => each === name.toUpperCase());
  if (operation !== undefined) return operation;
  throw new UsageError(
    `--${option}: unknown operation ${JSON.stringify(name)}${suggest(name.toUpperCase(), GRANT_OPERATIONS)}`,
  );
}

/** Returns true if a grant has expired, by the clock of this machine. */
export function hasEnded({ until }: Grant): boolean {
  return until !== undefined && Date.parse(until) <= Date.now();
}

/** Formats grants as a table, with their numbers for `identity revoke`. */
export function formatGrants(grants: readonly Grant[]): string {
  return formatTable(
    [
      { title: 'GRANT', show: ({ number }) => number },
      { title: 'OPERATIONS', show: ({ grant }) => grant.operations.join(',') },
      { title: 'ASSETS', show: ({ grant }) => grant.assets.join(' ') },
      { title: 'CHANNELS', show: ({ grant }) => grant.channels?.join(' ') ?? 'all' },
      {
        title: 'UNTIL',
        isOptional: true,
        show: ({ grant }) => (hasEnded(grant) ? `${grant.until ?? ''} (expired)` : (grant.until ?? '')),
      },
      { title: 'REASON', isOptional: true, show: ({ grant }) => grant.reason ?? '' },
    ],
    grants.map((grant, index) => ({ grant, number: index + 1 })),
  );
}

/** Permissions of a bundle, as reported by the gateway. */
interface GrantedPermissions {
  readonly permissions?: readonly string[] | undefined;
  /** `any`: its authentication providers may authenticate any identity. */
  readonly identities?: string | undefined;
}

/** Formats the permissions of a bundle in one line. */
export function formatPermissions({ permissions = [], identities }: GrantedPermissions): string {
  return [...permissions, ...(identities === undefined ? [] : [`identities: ${identities}`])].join(', ');
}
