import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { getCertificateAuthority } from './certificate-authority.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { findProgram } from './programs.ts';

const CLIENT_AUTHORITY_FILE = 'client-ca.pem';

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A daemon in its own process, with its configuration in a temporary directory. */
export interface RunningGateway {
  readonly directory: string;
  readonly configFile: string;
  readonly dataDirectory: string;
  readonly process: ChildProcess;
  readonly lines: readonly LogLine[];
  /** The standard error of the daemon so far. */
  errors(): string;
  readonly httpPorts: readonly number[];
  readonly httpsPorts: readonly number[];
  readonly clientAuthPorts: readonly number[];
  /** Resolves with the first line of the event that comes after the call, or that is already there. */
  line(event: string, after?: number): Promise<LogLine>;
  /** Replaces the configuration and waits until the daemon has read it. */
  reload(config: object): Promise<LogLine>;
  /** Ends it; `lines` and `errors` have everything afterwards. */
  stop(): Promise<number | null>;
}

export interface GatewayOptions {
  /**
   * Content of penstock.yaml; JSON is YAML. By default: listeners on any free port of the loopback, and
   * client certificates of the test authority are trusted.
   */
  readonly config?: Record<string, unknown>;
  /** Parameters of the runtime; the built daemon unless another program is given. */
  readonly program?: readonly string[];
  /** Program and parameters that start the daemon instead of the runtime. */
  readonly command?: readonly string[];
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** An existing directory to start in again. */
  readonly directory?: string;
  /** The directory has a `penstock.yaml` that is used as it is. */
  readonly isConfigured?: boolean;
}

/** Starts a daemon and waits until it is ready; it is stopped when the test ends. */
export async function startGateway(t: Owner, options: GatewayOptions = {}): Promise<RunningGateway> {
  const directory = options.directory ?? createTemporaryDirectory(t);
  const configFile = path.join(directory, 'penstock.yaml');
  const dataDirectory = path.join(directory, 'data');
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, CLIENT_AUTHORITY_FILE), (await getCertificateAuthority()).certificate);
  if (options.isConfigured !== true) await writeConfig(configFile, options.config ?? {});
  const [program = '', ...parameters] = options.command ?? [
    process.execPath,
    ...(options.program ?? [findProgram('daemon/main')]),
  ];
  const child = spawn(program, [...parameters, '--config', configFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  });
  const log = readLog(child);
  const closed = once(child, 'close');
  t.after(async () => {
    await stop();
  });

  async function stop(): Promise<number | null> {
    child.kill('SIGTERM');
    await closed;
    return child.exitCode;
  }
  const ready = await log.line('ready');
  return {
    directory,
    configFile,
    dataDirectory,
    process: child,
    lines: log.lines,
    errors: log.errors,
    httpPorts: ready['http'] as readonly number[],
    httpsPorts: ready['https'] as readonly number[],
    clientAuthPorts: ready['httpsClientAuth'] as readonly number[],
    line: log.line,
    async reload(config) {
      const seen = log.lines.length;
      await writeConfig(configFile, config);
      child.kill('SIGHUP');
      return Promise.race([log.line('reloaded', seen), log.line('reload.failed', seen)]);
    },
    stop,
  };
}

/** Runs a daemon that is expected to end by itself. */
export async function runDaemon(
  parameters: readonly string[],
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [findProgram('daemon/main'), ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return { status: child.exitCode, output };
}

async function writeConfig(file: string, config: object): Promise<void> {
  const { http = {}, ...rest } = config as { readonly http?: object };
  const listeners = { host: '127.0.0.1', ports: [], httpsPorts: [0], httpsClientAuthPorts: [0], ...http };
  const tls = { clientCertificateAuthoritiesFile: CLIENT_AUTHORITY_FILE };
  await writeFile(file, JSON.stringify({ dataDirectory: 'data', http: listeners, tls, ...rest }, null, 2));
}

function readLog(child: ChildProcess) {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (text) => {
      lines.push(JSON.parse(text) as LogLine);
      for (const wake of waiting) wake();
    });
  }
  child.once('close', () => {
    for (const wake of waiting) wake();
  });
  function line(event: string, after = 0): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.slice(after).find((candidate) => candidate.event === event);
        if (found === undefined && child.exitCode === null && child.signalCode === null) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`the daemon ended before "${event}": ${errors}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  }
  return { lines, line, errors: () => errors };
}
