import { execFileSync } from 'node:child_process';
import { Agent } from 'node:https';
import { pathToFileURL } from 'node:url';

import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { awaitOperation } from '../support/package-upload.ts';
import type { Bench } from './bench.ts';
import type { Measured } from './load.ts';
import {
  createChannels,
  createDriver,
  createPlant,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
} from './plant.ts';
import type { PlantParts } from './plant.ts';
import { pin } from './process-usage.ts';
import { startProgram } from './program.ts';
import type { ProgramOwner } from './program.ts';
import { programOf } from '../support/tools.ts';

const CONNECTIONS = 10;
const DEPLOYER = { name: 'deployer', permissions: ['rest.deploy'], password: 'correct-horse-7' };

/** Starts a gateway without assets that takes packages from a directory. */
export function startDeployable(t: ProgramOwner, packages: string): Promise<RunningGateway> {
  return startPinned(t, packages, { drivers: [], assets: [] });
}

/** A gateway that takes packages, while clients read ten channels of a device. */
export interface ReadGateway {
  readonly gateway: RunningGateway;
  readonly client: SessionClient;
  /** Reads for a while. */
  readonly read: (durationMs: number) => Promise<Measured>;
}

/** Starts a gateway that takes packages from a directory, with clients that are warm. */
export async function startReadGateway(bench: Bench, packages: string): Promise<ReadGateway> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const gateway = await startPinned(bench, packages, {
    drivers: [createDriver('line', device.port)],
    assets: [{ pid: 'ten', driver: 'line', channels: createChannels(sequence(10)) }],
  });
  const load = await bench.startLoad();
  const readers = await load.open(bench, {
    port: httpsPort(gateway),
    requests: [formatGet(readPath('ten'), await openSession(gateway))],
    count: CONNECTIONS,
  });
  const read = (durationMs: number): Promise<Measured> => load.run(gateway.process, durationMs, readers);
  await read(bench.choose({ full: 2000, quick: 500 }));
  return { gateway, client: await openDeployer(gateway), read };
}

async function startPinned(
  t: ProgramOwner,
  packages: string,
  plant: Omit<PlantParts, 'identities'>,
): Promise<RunningGateway> {
  const provision = createPlant({ ...plant, identities: [DEPLOYER] });
  const config = { provision, deployment: { fileSourceDirectories: [packages] } };
  const gateway = await startProgram(t, { config });
  pin(gateway.process.pid ?? 0, 'server');
  return gateway;
}

/** Logs in as an identity that may install packages. */
export async function openDeployer(gateway: RunningGateway): Promise<SessionClient> {
  // A handshake for each poll would count as the cost of an installation.
  const client = new SessionClient({ port: httpsPort(gateway), agent: new Agent({ keepAlive: true }) });
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
 * Unpacks an archive with a tool of the system and flushes its content to disk.
 *
 * @returns milliseconds
 */
export function unzipAndSync(file: string, directory: string): number {
  const start = performance.now();
  execFileSync(programOf('unzip'), ['-q', '-o', file, '-d', directory]);
  execFileSync('sync', ['--file-system', directory]);
  return performance.now() - start;
}
