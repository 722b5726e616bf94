import type { AssetRegistry } from '../plant/asset/asset-registry.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import { sealClearText } from '../base/text/clear-text.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { SecretKey } from '../base/key/secret-key.ts';
import type { Store } from '../base/store/store.ts';
import type { BundleSettings } from '../software/bridge/bundle-settings.ts';
import type { DriverRegistry } from '../software/bridge/driver-registry.ts';
import type { TemplateSource } from '../configuration/asset-templates.ts';
import { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import { ProvisionDrift } from '../configuration/provision/provision-drift.ts';
import { SnapshotStore } from '../configuration/store/snapshot-store.ts';
import { StoredSecrets } from '../configuration/store/stored-secrets.ts';
import type { EventLog } from '../server/event/event-log.ts';
import type { PlantReporter } from '../server/event/plant-reporter.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import type { SqliteIdentityStore } from '../security/identity/sqlite-identity-store.ts';
import type { PasswordHasher } from '../security/identity/password/password-hash.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';
import { ConfigurationApplier } from '../configuration/configuration-applier.ts';
import type { Recording } from './recording/recording.ts';
import { createIdentityProvisioner } from './provisioned-identities.ts';

interface ConfigurationOptions {
  readonly store: Store;
  /** Encrypts the secrets in the store. */
  readonly secretKey: SecretKey;
  readonly identities: IdentityStore & Pick<SqliteIdentityStore, 'sealSecrets'>;
  readonly hasher: PasswordHasher;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly kinds: Pick<DriverRegistry, 'list'>;
  readonly bundleSettings: Pick<BundleSettings, 'list' | 'announce'>;
  readonly templates: TemplateSource;
  readonly registry: AssetRegistry;
  readonly reporter: Pick<PlantReporter, 'keepOnly'>;
  readonly recording: Pick<Recording, 'apply'>;
  readonly events: Pick<EventLog, 'publish'>;
  /** Provision files that the start merges. */
  readonly sources: readonly ProvisionSource[];
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs the managed configuration and its application. */
export function composeConfiguration(options: ConfigurationOptions) {
  const { store, secretKey, identities, hasher, audit, kinds, templates, registry, reporter, events } =
    options;
  const { bundleSettings, recording, sources, logger, clock } = options;
  const bundles = (): ReturnType<BundleSettings['list']> => bundleSettings.list();
  const secrets = new StoredSecrets(secretKey, () => kinds.list(), bundles);
  const snapshots = new SnapshotStore(store, clock, { secrets });
  sealClearText(store, [() => snapshots.sealSecrets(), () => identities.sealSecrets()], logger);
  const configuration = new ConfigurationStore({
    snapshots,
    factories: () => kinds.list(),
    bundles,
    templates,
    createMissingIdentity: createIdentityProvisioner({ identities, hasher, audit }),
    identities,
    logger,
    clock,
  });
  const applier = new ConfigurationApplier({
    configuration,
    registry,
    audit,
    sources,
    async onPlantApplied() {
      await recording.apply(configuration.current());
      bundleSettings.announce();
    },
    onChange(snapshot) {
      reporter.keepOnly(configuration.current().plant.drivers.map(({ pid }) => pid));
      events.publish({ type: 'CONFIGURATION_CHANGED', snapshot });
    },
    logger,
    clock,
  });
  const drift = new ProvisionDrift({
    snapshots,
    identities,
    describe: () => configuration.describe(),
    clock,
  });
  return { configuration, applier, drift };
}
