import { createFault } from '../../base/fault-reason.ts';
import type { Slices } from '../../base/slices.ts';
import { findPasswordFaults } from '../../security/identity/password/password-rules.ts';
import type { LocatedFault } from '../../settings/settings-error.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import type { ManagedConfiguration, ManagedDocument } from '../managed-document.ts';
import { checkProvisionDocument, digestSource } from './provision-document.ts';
import type { CheckedSource, MergedProvision } from './provisioning.ts';

/**
 * Returns the digest of each source by its name.
 *
 * @param mask see `digestSource`
 */
export function* digestSources(
  sources: readonly ProvisionSource[],
  mask: (document: ManagedDocument) => ManagedDocument,
): Slices<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const { name, value } of sources) digests.set(name, yield* digestSource(value, mask));
  return digests;
}

/**
 * Returns the sources whose content has changed since it was merged last.
 *
 * @param known digests of then
 * @param digests those of now
 */
export function* findChanged(
  sources: readonly ProvisionSource[],
  known: ReadonlyMap<string, string>,
  digests: ReadonlyMap<string, string>,
): Slices<readonly ProvisionSource[]> {
  const changed: ProvisionSource[] = [];
  for (const source of sources) {
    const former = known.get(source.name);
    if (former === digests.get(source.name)) continue;
    // An earlier release made its digests without a mask.
    if (former === undefined || former !== (yield* digestSource(source.value))) changed.push(source);
  }
  return changed;
}

/** Checks the outline of each source; `sources` lacks those whose outline has errors. */
export function* checkSources(changed: readonly ProvisionSource[]): Slices<{
  readonly sources: readonly CheckedSource[];
  readonly faults: LocatedFault[];
}> {
  const sources: CheckedSource[] = [];
  const located: LocatedFault[] = [];
  for (const source of changed) {
    yield;
    const { document, faults } = yield* checkProvisionDocument(source.value);
    located.push(...faults.map((fault) => source.locate(fault)));
    if (document !== undefined) sources.push({ source, document });
  }
  return { sources, faults: located };
}

/** Lists the passwords of identities that break a rule for passwords. */
export async function listWeakPasswords(
  { identities }: MergedProvision,
  configuration: ManagedConfiguration | undefined,
): Promise<readonly LocatedFault[]> {
  if (configuration === undefined) return [];
  const strength = configuration.passwordStrength;
  const located: LocatedFault[] = [];
  for (const { identity, locate } of identities) {
    if (identity.password === undefined) continue;
    const faults = await findPasswordFaults(identity.password, { strength, identityName: identity.name });
    located.push(...faults.map((reason) => locate(createFault(['password'], reason))));
  }
  return located;
}
