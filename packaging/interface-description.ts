import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { systemClock } from '../daemon/base/clock.ts';
import { createLogger } from '../daemon/base/logger.ts';
import { finish } from '../daemon/base/slices.ts';
import { readVersion } from '../daemon/base/version.ts';
import { composeGateway } from '../daemon/compose/gateway.ts';
import { systemHostServices } from '../daemon/compose/host-services.ts';
import { describeRoutes } from '../daemon/server/rest/openapi.ts';
import { loadSettingsFile } from '../daemon/settings/settings-file.ts';

/**
 * Gives the description of the REST interface as the gateway itself serves it.
 *
 * @param directory where a gateway that never starts may keep its state
 */
export async function writeDescription(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = path.join(directory, 'penstock.yaml');
  await writeFile(file, JSON.stringify({ dataDirectory: 'data' }));
  const loaded = await loadSettingsFile(file);
  const logger = createLogger({
    level: () => 'error',
    write: (line) => void process.stderr.write(line),
    epochMs: () => systemClock.epochMs(),
    journalPriorities: false,
  });
  const { routes } = await composeGateway({ loaded, logger, hostServices: systemHostServices });
  return `${JSON.stringify(finish(describeRoutes(routes, readVersion())), null, 2)}\n`;
}
