import { isDeepStrictEqual } from 'node:util';

import type { Logger } from '../base/logger.ts';
import type { MetricsListener } from '../machine/metrics/metrics-listener.ts';
import type { LoadedFiles } from '../settings/loaded-files.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';
import type { ConfigurationApplier } from '../configuration/configuration-applier.ts';
import type { Network } from '../server/http/connection/network.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Tokens } from './tokens.ts';

interface ReloadOptions {
  readonly settings: StaticSettings;
  readonly files: Pick<LoadedFiles, 'replace'>;
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
  const { settings, files, dataDirectory, applier, network, metricsListener, keys, logger } = options;
  return async ({ settings: replacement, provisionSources, files: read }) => {
    // Provision files that would be refused are refused before anything changes.
    await applier.check(provisionSources);
    await network.apply({ ...replacement, dataDirectory });
    await metricsListener.apply(replacement.metrics);
    await applier.apply(provisionSources);
    keys.reload();
    const isExportSame = isDeepStrictEqual(settings.current.audit, replacement.audit);
    settings.replace(replacement);
    files.replace(read);
    if (!isExportSame) logger.warn('reload.restartRequired', { key: 'audit' });
    if (replacement.dataDirectory !== dataDirectory) {
      logger.warn('reload.restartRequired', { key: 'dataDirectory' });
    }
  };
}
