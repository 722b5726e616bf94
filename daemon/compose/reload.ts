import { isDeepStrictEqual } from 'node:util';

import type { Logger } from '../base/logger.ts';
import type { MetricsListener } from '../metrics/metrics-listener.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';
import type { ConfigurationApplier } from './configuration-applier.ts';
import type { Network } from './network.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Tokens } from './tokens.ts';

interface ReloadOptions {
  readonly settings: StaticSettings;
  /** The data directory of the start, which a reload does not change. */
  readonly dataDirectory: string;
  readonly applier: ConfigurationApplier;
  readonly network: Network;
  readonly metricsListener: MetricsListener;
  readonly keys: Pick<Tokens['keys'], 'reload'>;
  readonly logger: Logger;
}

/**
 * Creates the function that puts other static settings, provision files and certificates in force.
 *
 * The function throws when a part refuses its settings; that part stays as it was.
 */
export function createReload(options: ReloadOptions): (reloaded: LoadedSettings) => Promise<void> {
  const { settings, dataDirectory, applier, network, metricsListener, keys, logger } = options;
  return async ({ settings: replacement, provisionSources }) => {
    // Provision files that would be refused are refused before anything changes.
    await applier.check(provisionSources);
    await network.apply({ ...replacement, dataDirectory });
    await metricsListener.apply(replacement.metrics);
    await applier.apply(provisionSources);
    keys.reload();
    const isExportSame = isDeepStrictEqual(settings.current.audit, replacement.audit);
    settings.replace(replacement);
    if (!isExportSame) logger.warn('reload.restartNeeded', { key: 'audit' });
    if (replacement.dataDirectory !== dataDirectory) {
      logger.warn('reload.restartNeeded', { key: 'dataDirectory' });
    }
  };
}
