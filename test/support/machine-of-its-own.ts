import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { startGateway } from './gateway.ts';
import type { RunningGateway } from './gateway.ts';
import { findFreePorts } from './free-ports.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

const CLI = path.resolve(import.meta.dirname, '../../daemon/cli/main.ts');
const DAEMON = path.resolve(import.meta.dirname, '../../daemon/main.ts');

/** Option of a test that mounts; skips it where that is not permitted. */
export const WITH_MOUNTS =
  spawnSync('unshare', ['--mount', 'true']).status === 0 ? {} : { skip: 'nothing may be mounted here' };

interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly notes: string;
}

/** A gateway whose /etc is a copy that nothing else sees. */
export interface OwnMachine {
  readonly gateway: RunningGateway;
  /** Where its /etc/penstock is for the test. */
  readonly etc: string;
  /** Empty folder in which commands run. */
  readonly home: string;
  /** The program and parameters that run a command on it. */
  readonly command: (...words: readonly string[]) => readonly [string, ...string[]];
  /** Runs `penstock` to its end. */
  penstock(words: readonly string[], input?: string): Promise<Outcome>;
  /** Starts `penstock` without a terminal. */
  startPenstock(words: readonly string[]): ChildProcess;
  /** Starts `penstock` at a terminal. */
  startAtTerminal(words: readonly string[]): ChildProcess;
}

/** Starts a gateway with nothing but its ports configured, on a machine whose /etc is its own. */
export async function startOwnMachine(t: Owner): Promise<OwnMachine> {
  const directory = createTemporaryDirectory(t);
  const [httpsPort, clientPort] = await findFreePorts(2);
  const etc = path.join(directory, 'etc');
  const home = path.join(directory, 'home');
  cpSync('/etc', etc, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.startsWith('/etc/penstock'),
  });
  mkdirSync(path.join(etc, 'penstock'));
  mkdirSync(home);
  const gateway = await startGateway(t, {
    directory: path.join(directory, 'gateway'),
    config: {
      tls: {},
      http: { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [clientPort] },
    },
    command: [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount --bind "$0" /etc && exec "$@"',
      etc,
      process.execPath,
      DAEMON,
    ],
  });
  const environment = { PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock') };
  const namespace = `--mount=/proc/${gateway.process.pid}/ns/mnt`;
  const command = (...words: readonly string[]): readonly [string, ...string[]] => [
    'nsenter',
    namespace,
    `--wd=${home}`,
    ...words,
  ];
  const start = (words: readonly string[]): ChildProcess => {
    const [program, ...parameters] = command(...words);
    return spawn(program, parameters, { env: { ...process.env, ...environment } });
  };
  const toWords = (words: readonly string[]): readonly string[] => [
    process.execPath,
    CLI,
    ...words,
    ...(words[0] === 'setup' ? ['--config', gateway.configFile] : []),
  ];
  return {
    gateway,
    etc: path.join(etc, 'penstock'),
    home,
    command,
    startPenstock: (words) => start(toWords(words)),
    startAtTerminal: (words) =>
      start([
        'python3',
        '-c',
        'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
        ...toWords(words),
      ]),
    async penstock(words, input = '') {
      const child = start(toWords(words));
      let output = '';
      let notes = '';
      child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()));
      child.stdin?.end(input);
      const [status] = (await once(child, 'close')) as [number | null];
      return { status, output, notes };
    },
  };
}
