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
  /** Data directory of the start; a reload does not change it. */
  readonly dataDirectory: string;
  readonly applier: ConfigurationApplier;
  readonly network: Network;
  readonly metricsListener: MetricsListener;
  readonly keys: Pick<Tokens['keys'], 'reload'>;
  readonly logger: Logger;
}

/**
 * Creates the function that applies changed static settings, provision files and certificates.
 *
 * The function throws if a component rejects its settings; that component stays unchanged.
 */
export function createReload(options: ReloadOptions): (reloaded: LoadedSettings) => Promise<void> {
  const { settings, files, dataDirectory, applier, network, metricsListener, keys, logger } = options;
  return async ({ settings: replacement, provisionSources, files: read }) => {
    // Invalid provision files are rejected before anything changes.
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
