import { listBundles } from '../../interface/software/bundles.ts';
import type { Bundle, BundleCheck } from '../../interface/software/bundles.ts';
import type { RestClient } from '../client/rest-client.ts';
import { Refused } from '../command-error.ts';
import type { Finding } from '../machine-checks.ts';

const STATES = { OK: 'GOOD', WARNING: 'WARNING', ERROR: 'WRONG' } as const;

/**
 * Returns what bundles have checked themselves, such as the servers that they send to. Empty if the caller may not list bundles.
 *
 * @throws {CommandError} if the gateway does not respond
 */
export async function checkBundles(client: RestClient): Promise<readonly Finding[]> {
  try {
    return findReported(await client.call(listBundles));
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
}

/** Returns the checks in the reports of bundles as findings. */
export function findReported(bundles: readonly Pick<Bundle, 'name' | 'status'>[]): readonly Finding[] {
  return bundles.flatMap(({ name, status }) => (status?.checks ?? []).map((check) => toFinding(name, check)));
}

function toFinding(bundle: string, { name, state, detail, remedy }: BundleCheck): Finding {
  const finding = { check: `bundle ${bundle}`, state: STATES[state], detail: `${name}: ${detail}` };
  if (state === 'OK') return finding;
  return { ...finding, advice: remedy ?? `penstock bundle log ${bundle}` };
}

/**
 * Drops what the gateway says of a bundle as a whole if the bundle itself says more: a check that is as grave, with its remedy.
 *
 * @param own findings of the gateway
 * @param checks findings of the bundles, as {@link checkBundles} returns them
 */
export function dropExplained(own: readonly Finding[], checks: readonly Finding[]): readonly Finding[] {
  return own.filter(
    ({ check, state }) => !checks.some((each) => each.check === check && each.state === state),
  );
}
