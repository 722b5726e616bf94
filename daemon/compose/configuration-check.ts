import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { openStore } from '../base/store/store.ts';
import { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import { configurationMigrations, SnapshotStore } from '../configuration/store/snapshot-store.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';
import { YamlReader } from '../settings/yaml-reader.ts';
import { listKnownDrivers } from './drivers.ts';
import { composeBundleSettings } from './installed-bundles.ts';
import { composeTemplates } from './templates.ts';

interface ConfigurationCheckOptions {
  readonly loaded: LoadedSettings;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Checks the provision files like a start with the drivers of bundles but without other earlier state.
 *
 * @throws {ConfigurationError} that lists every error
 */
export async function checkConfiguration(options: ConfigurationCheckOptions): Promise<void> {
  const { loaded, logger, clock } = options;
  const { dataDirectory } = loaded.settings;
  const drivers = await listKnownDrivers(dataDirectory);
  const bundleSettings = await composeBundleSettings({ dataDirectory, readiness: { isStarting: false } });
  const store = openStore(':memory:', [configurationMigrations]);
  try {
    const configuration = new ConfigurationStore({
      snapshots: new SnapshotStore(store, clock),
      factories: () => drivers,
      bundles: () => bundleSettings.list(),
      templates: composeTemplates({ dataDirectory, yaml: new YamlReader() }),
      createMissingIdentity: () => Promise.resolve(false),
      logger,
      clock,
    });
    await configuration.check(loaded.provisionSources);
  } finally {
    store.close();
  }
}
