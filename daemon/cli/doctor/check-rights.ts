import { CommandError } from '../command-error.ts';
import { listIdentities, listPermissions } from '../../interface/identities.ts';
import type { UserConfig } from '../../interface/identities.ts';
import { hasEnded } from '../grant-text.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';
import { suggest } from '../suggestion.ts';
import { GrantMatcher } from '../unmatched-grants.ts';

/** Names permissions that nothing asks for, and grants that match nothing; none when the caller may not see them. */
export async function checkRights(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { userConfig } = await client.call(listIdentities);
    const { permissions } = await client.call(listPermissions);
    const matcher = new GrantMatcher(client);
    const findings = userConfig.map((identity) => checkIdentity(identity, permissions, matcher));
    return (await Promise.all(findings)).flat();
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}

async function checkIdentity(
  { userName, permissions, grants = [] }: UserConfig,
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
