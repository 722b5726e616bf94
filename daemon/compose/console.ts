import path from 'node:path';

import type { Logger } from '../base/logger.ts';
import { messageOf } from '../base/errors.ts';
import { readStaticSite } from '../server/http/static-site.ts';
import type { StaticSite } from '../server/http/static-site.ts';
import type { StaticSettings } from './static-settings.ts';

/** Where the console is built: in the sources of the gateway, when it runs from there, and in its package. */
export const CONSOLE_DIRECTORIES: readonly string[] = [
  path.resolve(import.meta.dirname, '../../build/console'),
  '/usr/share/penstock/console',
];

interface ConsoleOptions {
  /** The first that has a console counts. */
  readonly directories: readonly string[];
  readonly settings: Pick<StaticSettings, 'current'>;
  readonly logger: Logger;
}

/**
 * Reads the console, and returns what finds it while it is switched on. Without a console the gateway runs all the same:
 * the log says so once, and every path of it answers 404.
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
