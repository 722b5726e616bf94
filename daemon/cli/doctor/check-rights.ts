import { CommandError } from '../command-error.ts';
import { hasEnded } from '../grant-text.ts';
import type { GrantInfo } from '../grant-text.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';
import { suggest } from '../suggestion.ts';
import { GrantMatcher } from '../unmatched-grants.ts';

const ROOT = '/services/identity/v1';

interface IdentityInfo {
  readonly userName: string;
  readonly permissions: readonly string[];
  /** Absent: a gateway of an earlier release. */
  readonly grants?: readonly GrantInfo[];
}

/** Names permissions that nothing asks for, and grants that match nothing; none when the caller may not see them. */
export async function checkRights(client: RestClient): Promise<readonly Finding[]> {
  try {
    const identities = await client.send('GET', `${ROOT}/identities`);
    const defined = await client.send('GET', `${ROOT}/definedPermissions`);
    const { userConfig } = identities.body as { readonly userConfig: readonly IdentityInfo[] };
    const { permissions } = defined.body as { readonly permissions: readonly string[] };
    const matcher = new GrantMatcher(client);
    const findings = userConfig.map((identity) => checkIdentity(identity, permissions, matcher));
    return (await Promise.all(findings)).flat();
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}

async function checkIdentity(
  { userName, permissions, grants = [] }: IdentityInfo,
  defined: readonly string[],
  matcher: GrantMatcher,
): Promise<readonly Finding[]> {
  const check = `identity ${userName}`;
  const unknown = permissions
    .filter((permission) => !defined.includes(permission))
    .map((permission): Finding => {
      const detail = `nothing asks for the permission ${permission}${suggest(permission, defined)}`;
      return { check, state: 'WARNING', detail, advice: `penstock identity update '${userName}'` };
    });
  const inForce = grants.filter((grant) => !hasEnded(grant));
  const unmatched = (await Promise.all(inForce.map((grant) => matcher.findUnmatched(grant)))).flat();
  const advice = `penstock identity show '${userName}'; it may be meant for names to come`;
  return [
    ...unknown,
    ...[...new Set(unmatched)].map((detail): Finding => ({ check, state: 'WARNING', detail, advice })),
  ];
}
