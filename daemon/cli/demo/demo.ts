import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { describeDemo } from './demo-commands.ts';
import { DEMO_PROTOCOLS } from './demo-devices.ts';
import {
  DEMO_FILES,
  CERTIFICATE_IDENTITY,
  formatDemoConfiguration,
  PASSWORD_IDENTITY,
} from './demo-configuration.ts';
import { createAnnouncementReader } from '../../simulator/plant-protocol.ts';
import type { PlantEndpoints } from '../../simulator/plant-protocol.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Terminal } from '../command-group.ts';
import {
  issueClientCertificate,
  issueServerCertificate,
  listLocalNames,
  makeCertificateAuthority,
} from '../../security/certificate/certificate-issuer.ts';

/** Demonstrates the gateway with a simulated plant. */
export const demo = createCommandGroup('demo', 'start the daemon with a simulated plant, to try it out', {
  '': {
    parameters: '',
    summary: 'start the daemon with a simulated heating plant and print commands to try them',
    text: 'Writes only to one temporary directory and removes it at the end. Stop with Ctrl-C.',
    options: { verbose: { help: 'write the log of the daemon to standard error, not to a file' } },
    runHere: ({ options, terminal }) => runDemo(options['verbose'] === true, terminal),
  },
});

/** Ports from the log of the daemon. */
interface DaemonPorts {
  readonly httpsPort: number;
  readonly clientAuthPort: number;
}

async function runDemo(isVerbose: boolean, terminal: Terminal): Promise<void> {
  const { stopSignal } = terminal;
  const stopped = rejectWhenAborted(stopSignal);
  const children: Child<unknown>[] = [];
  const directory = await createDemoDirectory();
  const log = isVerbose ? undefined : openLog(directory);
  try {
    await runAll();
  } catch (error) {
    // After a stop signal, the end of a child is not a failure.
    if (!stopSignal.aborted) throw error;
    terminal.print('\nStopping ...\n');
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await closeLog(log);
    await removeDemoDirectory(directory);
  }

  /** Runs until a stop signal or the end of a child; throws in both cases. */
  async function runAll(): Promise<never> {
    terminal.print('Starting ...\n\n');
    const plant = start(startPlant((line) => terminal.print(`${line}\n`)));
    await writeCertificates(directory);
    const endpoints = await Promise.race([plant.ready, stopped]);
    const password = await writeConfiguration(directory, endpoints);
    const daemon = start(startDaemon(directory, writeLog));
    const ports = await Promise.race([daemon.ready, plant.ended, stopped]);
    terminal.print(describeDemo({ directory, endpoints, password, ...ports }));
    return Promise.race([plant.ended, daemon.ended, stopped]);
  }

  function start<Ready>(child: Child<Ready>): Child<Ready> {
    children.push(child);
    return child;
  }

  function writeLog(line: string): void {
    if (log === undefined) terminal.note(`${line}\n`);
    else log.write(`${line}\n`);
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  // The signal may abort without a waiting caller.
  promise.catch(() => undefined);
  return promise;
}

/** @param onMissing called with the message for an unavailable protocol */
function startPlant(onMissing: (line: string) => void): Child<PlantEndpoints> {
  return startChild({
    name: 'the simulated plant',
    parameters: [sibling('../main'), 'simulate', '--protocols', DEMO_PROTOCOLS.join(',')],
    findReady: createAnnouncementReader(),
    isError: () => false,
    onLine(line) {
      if (line.includes(' is left out: ')) onMissing(line);
    },
  });
}

function startDaemon(directory: string, onLine: (line: string) => void): Child<DaemonPorts> {
  return startChild({
    name: 'the daemon',
    parameters: [sibling('../../main'), '--config', path.join(directory, DEMO_FILES.configuration)],
    findReady: findPorts,
    isError: (line) => line.includes('"level":"error"'),
    onLine,
  });
}

/** Reads the ports from the log line `ready`. */
function findPorts(line: string): DaemonPorts | undefined {
  if (!line.includes('"event":"ready"')) return undefined;
  const { https, httpsClientAuth } = JSON.parse(line) as Readonly<Record<string, readonly number[]>>;
  const [httpsPort, clientAuthPort] = [https?.[0], httpsClientAuth?.[0]];
  return httpsPort === undefined || clientAuthPort === undefined ? undefined : { httpsPort, clientAuthPort };
}

// Same extension as this file: .ts in a checkout, .js in the package.
function sibling(name: string): string {
  return path.join(import.meta.dirname, `${name}${path.extname(import.meta.filename)}`);
}

function openLog(directory: string): WriteStream {
  return createWriteStream(path.join(directory, DEMO_FILES.log), { mode: 0o600 });
}

async function closeLog(log: WriteStream | undefined): Promise<void> {
  if (log === undefined) return;
  log.end();
  await once(log, 'close');
}

// Short, because a crash leaves the files behind; the gateway warns about less than 30 days.
const CERTIFICATE_DAYS = 32;

/** Creates an empty directory below the temporary directory of the system, mode 0700, and returns its path. */
function createDemoDirectory(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'penstock-demo-'));
}

/** Removes the directory and its content. */
function removeDemoDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}

/**
 * Writes the certificates of an authority, the server and the client, and the keys of the latter two. The key of the
 * authority is not kept.
 *
 * @throws {CertificateError}
 */
async function writeCertificates(directory: string): Promise<void> {
  const authority = await makeCertificateAuthority('Penstock demo authority', CERTIFICATE_DAYS);
  const [server, client] = await Promise.all([
    issueServerCertificate(authority, listLocalNames(), CERTIFICATE_DAYS),
    issueClientCertificate(authority, CERTIFICATE_IDENTITY, CERTIFICATE_DAYS),
  ]);
  await write(directory, DEMO_FILES.authority, authority.certificate);
  await write(directory, DEMO_FILES.serverCertificate, server.certificate);
  await write(directory, DEMO_FILES.serverKey, server.privateKey);
  await write(directory, DEMO_FILES.clientCertificate, client.certificate);
  await write(directory, DEMO_FILES.clientKey, client.privateKey);
}

/** Writes the configuration with a random password, and the body of a login with that password; returns the password. */
async function writeConfiguration(directory: string, endpoints: PlantEndpoints): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  await write(directory, DEMO_FILES.configuration, formatDemoConfiguration(endpoints, password));
  await write(directory, DEMO_FILES.login, JSON.stringify({ username: PASSWORD_IDENTITY, password }));
  return password;
}

function write(directory: string, name: string, content: string): Promise<void> {
  return writeFile(path.join(directory, name), content, { mode: 0o600, flag: 'wx' });
}
