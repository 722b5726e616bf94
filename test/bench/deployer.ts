import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { awaitOperation } from '../support/package-upload.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { createPlant, httpsPort } from './plant.ts';
import type { PlantParts } from './plant.ts';
import { pin } from './process-usage.ts';
import { PROGRAM } from './program.ts';

const DEPLOYER = { name: 'deployer', permissions: ['rest.deploy'], password: 'correct-horse-7' };

/** Starts a gateway that takes packages from a directory. */
export async function startDeployable(
  t: Owner,
  { drivers, assets, packages }: PlantParts & { readonly packages: string },
): Promise<RunningGateway> {
  const provision = createPlant({ drivers, assets, identities: [DEPLOYER] });
  const config = { provision, deployment: { fileSourceDirectories: [packages] } };
  const gateway = await startGateway(t, { program: PROGRAM, config });
  pin(gateway.process.pid ?? 0, 'server');
  return gateway;
}

/** Logs in as somebody who may install packages. */
export async function openDeployer(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: httpsPort(gateway) });
  const { status } = await client.login(DEPLOYER.name, DEPLOYER.password);
  if (status !== 200) throw new Error(`the login was answered with ${status}`);
  return client;
}

/**
 * Installs a package from a file.
 *
 * @returns milliseconds from the start to the end of the operation
 */
export async function installFile(client: SessionClient, file: string): Promise<number> {
  const body = { url: pathToFileURL(file).href };
  const { status, headers, text } = await client.send('POST', '/services/deploy/v2/_install', { body });
  if (status !== 200) throw new Error(text);
  const operation = await awaitOperation(client, String(headers['location']));
  if (operation.state !== 'COMPLETED') throw new Error(operation.message);
  return operation.finishedAt - operation.startedAt;
}

/**
 * Unpacks an archive with a tool of the system and puts its content on the medium.
 *
 * @returns milliseconds
 */
export function unzipAndSync(file: string, directory: string): number {
  const start = performance.now();
  execFileSync('unzip', ['-q', '-o', file, '-d', directory]);
  execFileSync('sync', ['--file-system', directory]);
  return performance.now() - start;
}
