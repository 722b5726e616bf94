import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { findFreePorts } from './free-ports.ts';
import { startGateway } from './gateway.ts';
import type { RunningGateway } from './gateway.ts';
import type { Owner } from './temporary-directory.ts';
import { findProgram } from './programs.ts';

const AT_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly notes: string;
}

/** A gateway that nobody has set up yet, and the command line on its machine. */
export interface SetupBench {
  readonly gateway: RunningGateway;
  /** Its directory of configuration, which stands for /etc/penstock. */
  readonly etc: string;
  /** Port for client certificates; open once there is an authority of clients. */
  readonly clientPort: number;
  /** Empty folder in which commands run. */
  readonly home: string;
  /** Runs `penstock` to its end. */
  penstock(words: readonly string[], input?: string): Promise<Outcome>;
  /** Starts `penstock` without a terminal. */
  startPenstock(words: readonly string[]): ChildProcess;
  /** Starts `penstock` at a terminal. */
  startAtTerminal(words: readonly string[]): ChildProcess;
}

/** Starts a gateway of which nothing but the ports is configured. */
export async function startSetupBench(t: Owner): Promise<SetupBench> {
  const [httpsPort, clientPort = 0] = await findFreePorts(2);
  const gateway = await startGateway(t, {
    config: {
      tls: {},
      http: { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [clientPort] },
    },
  });
  const home = path.join(gateway.directory, 'home');
  mkdirSync(home);
  const env = { ...process.env, PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock') };
  const start = (program: string, words: readonly string[]): ChildProcess =>
    spawn(program, words, { cwd: home, env });
  const toWords = (words: readonly string[]): readonly string[] => [
    findProgram('daemon/cli/main'),
    ...words,
    ...(words[0] === 'setup' ? ['--config', gateway.configFile] : []),
  ];
  return {
    gateway,
    etc: gateway.directory,
    home,
    clientPort,
    startPenstock: (words) => start(process.execPath, toWords(words)),
    startAtTerminal: (words) => start('python3', ['-c', AT_TERMINAL, process.execPath, ...toWords(words)]),
    async penstock(words, input = '') {
      const child = start(process.execPath, toWords(words));
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
