import type { AuditLog } from '../audit/audit-log.ts';
import { openStore } from '../base/store.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { listKnownKinds } from './bundles.ts';
import type { Ground } from './ground.ts';
import { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { ProvisionedIdentity } from '../configuration/provision-document.ts';
import { configurationMigrations, SnapshotStore } from '../configuration/snapshot-store.ts';
import { GATEWAY_ITSELF } from '../identity/hash-source.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import type { PasswordHasher } from '../identity/password-hash.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';

/**
 * Checks the provision files as a start would that knows the drivers of bundles, and has no other earlier state.
 *
 * @throws {ConfigurationError} that lists every fault
 */
export async function checkConfiguration({
  loaded,
  logger,
  clock,
}: Pick<Ground, 'logger' | 'clock'> & { readonly loaded: LoadedSettings }): Promise<void> {
  const kinds = await listKnownKinds(loaded.settings.dataDirectory);
  const store = openStore(':memory:', [configurationMigrations]);
  try {
    const ground = { store, logger, clock, factories: () => kinds };
    composeConfiguration(ground, () => Promise.resolve(false)).check(loaded.provisionSources);
  } finally {
    store.close();
  }
}

export interface ConfigurationGround extends Pick<Ground, 'store' | 'logger' | 'clock'> {
  /** Every kind of driver that there is now. */
  readonly factories: () => readonly DriverFactory[];
}

/** Constructs the managed configuration. */
export function composeConfiguration(
  { store, factories, logger, clock }: ConfigurationGround,
  createMissingIdentity: (identity: ProvisionedIdentity) => Promise<boolean>,
): ConfigurationStore {
  const snapshots = new SnapshotStore(store, clock);
  return new ConfigurationStore({
    snapshots,
    factories,
    createMissingIdentity,
    logger,
  });
}

/** Gives what creates the identities of provision files that are missing. */
export function createIdentityMaker(
  { audit }: Pick<Ground, 'audit'>,
  identities: IdentityStore,
  hasher: PasswordHasher,
) {
  return async ({
    name,
    permissions,
    password,
    passwordChangeNeeded,
  }: ProvisionedIdentity): Promise<boolean> => {
    if (identities.find(name) !== undefined) return false;
    const passwordHash = password === undefined ? undefined : await hasher.hash(password, GATEWAY_ITSELF);
    recordProvisioned(audit, identities.create({ name, permissions, passwordHash, passwordChangeNeeded }));
    return true;
  };
}

/** Records an identity that came from no request. */
export function recordProvisioned(
  audit: Pick<AuditLog, 'record'>,
  { name, permissions }: Pick<Identity, 'name' | 'permissions'>,
): void {
  const detail = { permissions: permissions.join(', ') };
  audit.record({
    event: 'IDENTITY_CREATED',
    outcome: 'SUCCESS',
    method: 'provisioning',
    target: name,
    detail,
  });
}
