import { EventEmitter, once } from 'node:events';
import path from 'node:path';

import { systemRandom } from '../../../daemon/base/random.ts';
import { AssetRegistry } from '../../../daemon/plant/asset/asset-registry.ts';
import { AuditLog } from '../../../daemon/security/audit/audit-log.ts';
import {
  auditMigrations,
  createSqliteAuditStore,
} from '../../../daemon/security/audit/sqlite-audit-store.ts';
import { createLogger } from '../../../daemon/base/logger.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { composeAccess } from '../../../daemon/compose/access.ts';
import {
  createIdentityProvisioner,
  provisionInitialAdministrator,
} from '../../../daemon/compose/provisioned-identities.ts';
import { createProvisionPruner } from '../../../daemon/compose/provision-pruner.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import { ProvisionDrift } from '../../../daemon/configuration/provision/provision-drift.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { ConfigurationApplier } from '../../../daemon/configuration/configuration-applier.ts';
import { CredentialRevocations } from '../../../daemon/security/identity/credential-revocations.ts';
import { createPasswordHasher } from '../../../daemon/security/identity/password/password-hash.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../../daemon/security/identity/sqlite-identity-store.ts';
import type { ProvisionSource } from '../../../daemon/settings/settings-file.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { createLastWrites } from '../../support/last-writes.ts';
import { createAuditKey, createMemoryHead } from '../../support/audit-key.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** The parts of the gateway that keep configuration and identities. */
export type Keeper = Awaited<ReturnType<typeof openKeeper>>;

/**
 * Opens the state in a directory, puts it in force and creates the first administrator, in the order of the daemon.
 *
 * @param sources the provision files that are there
 */
export async function openKeeper(dataDirectory: string, sources: readonly ProvisionSource[]) {
  const clock = new ManualClock();
  const lines = new EventEmitter();
  const logger = createLogger({
    level: () => 'info',
    write(line) {
      process.stderr.write(line);
      lines.emit((JSON.parse(line) as { readonly event: string }).event);
    },
    epochMs: () => clock.epochMs(),
    journalPriorities: false,
  });
  const store = openStore(path.join(dataDirectory, 'penstock.db'), [
    identityMigrations,
    configurationMigrations,
    auditMigrations,
  ]);
  const auditStore = createSqliteAuditStore({ store, key: createAuditKey(), head: createMemoryHead() });
  const audit = new AuditLog({ store: auditStore, clock, logger });
  const identities = new SqliteIdentityStore(store, clock);
  const hasher = createPasswordHasher({ clock });
  const snapshots = new SnapshotStore(store, clock);
  const configuration = new ConfigurationStore({
    snapshots,
    factories: createDriverFactories,
    createMissingIdentity: createIdentityProvisioner({ identities, hasher, audit }),
    identities,
    logger,
    clock,
  });
  const registry = new AssetRegistry({
    factories: createDriverFactories,
    driverDirectory: path.join(dataDirectory, 'drivers'),
    onChange: () => undefined,
    logger,
    clock,
    lastWrites: createLastWrites(clock),
    random: systemRandom,
  });
  const access = composeAccess({
    store,
    identities,
    hasher,
    configuration,
    dataDirectory,
    credentialRevocations: new CredentialRevocations(),
    logger,
    clock,
    random: systemRandom,
  });
  const applier = new ConfigurationApplier({
    configuration,
    registry,
    audit,
    sources,
    onPlantApplied: async () => undefined,
    onChange: () => undefined,
    logger,
    clock,
  });
  const drift = new ProvisionDrift({
    snapshots,
    identities,
    describe: () => configuration.describe(),
    clock,
  });
  await applier.start();
  await provisionInitialAdministrator({
    identities,
    hasher,
    audit,
    dataDirectory,
    logger,
    random: systemRandom,
  });
  return {
    ...access,
    dataDirectory,
    store,
    clock,
    identities,
    hasher,
    snapshots,
    configuration,
    applier,
    prune: createProvisionPruner({ drift, applier, administration: access.administration, audit }),
    /** Resolves once a line of this name is logged. */
    hears: (event: string): Promise<unknown> => once(lines, event),
    async stop(): Promise<void> {
      await applier.stop();
      await hasher.stop();
      await audit.stop();
      store.close();
    },
  };
}
