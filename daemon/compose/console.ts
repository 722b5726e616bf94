import path from 'node:path';

import type { Logger } from '../base/logger.ts';
import { messageOf } from '../base/errors.ts';
import { readStaticSite } from '../server/http/static-site.ts';
import type { StaticSite } from '../server/http/static-site.ts';
import type { StaticSettings } from './static-settings.ts';

/** Directories of the built console: in the sources, if the gateway runs from there, and in its package. */
export const CONSOLE_DIRECTORIES: readonly string[] = [
  path.resolve(import.meta.dirname, '../../build/console'),
  '/usr/share/penstock/console',
];

interface ConsoleOptions {
  /** The first with a console is used. */
  readonly directories: readonly string[];
  readonly settings: Pick<StaticSettings, 'current'>;
  readonly logger: Logger;
}

/**
 * Reads the console, and returns a function that finds it while it is enabled. The gateway also runs without a console:
 * the log reports that once, and each of its paths returns 404.
 */
export async function composeConsole(options: ConsoleOptions): Promise<() => StaticSite | undefined> {
  const { settings } = options;
  const site = await findSite(options);
  return () => (settings.current.console.enabled ? site : undefined);
}

async function findSite({ directories, settings, logger }: ConsoleOptions): Promise<StaticSite | undefined> {
  const consequence = 'the gateway runs without its console';
  for (const directory of directories) {
    try {
      const site = await readStaticSite(directory);
      if (site !== undefined) return site;
    } catch (error) {
      logger.error('console.notLoaded', { directory, reason: messageOf(error), consequence });
      return undefined;
    }
  }
  if (settings.current.console.enabled) logger.info('console.notInstalled', { directories, consequence });
  return undefined;
}
