import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { prepare } from '../counterparts/counterpart.ts';
import type { Make } from '../counterparts/counterpart.ts';
import { findFreePort } from '../support/free-ports.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { programOf } from '../support/tools.ts';

/** A broker in its own process. */
export interface FleetBroker {
  readonly port: number;
  /** Of the process that runs, or ran last. */
  readonly pid: number;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, with nothing that it knew. */
  start(): Promise<void>;
}

/** The broker cannot run on this machine. */
export class BrokerMissing extends Error {
  override readonly name = 'BrokerMissing';
}

const MOCHI: Make = {
  name: 'mochi',
  folder: 'mochi',
  build: () => [['go', 'build', '-o', 'server', 'github.com/mochi-mqtt/server/v2/cmd']],
  start: (directory) => [path.join(directory, 'server')],
};
const START_MS = 10_000;

/** Brokers by name; each starts on a port of the loopback, accepts everybody, and ends with its owner. */
export const BROKERS: Readonly<Record<string, (owner: Owner) => Promise<FleetBroker>>> = {
  async mosquitto(owner) {
    const port = await findFreePort();
    const file = path.join(createTemporaryDirectory(owner), 'mosquitto.conf');
    const lines = [
      // Root would become another user, who may not enter the directory.
      `user ${userInfo().username}`,
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      // A subscriber that is slower than all senders together is waited for, not left out.
      'max_queued_messages 0',
      'log_dest none',
      '',
    ];
    writeFileSync(file, lines.join('\n'));
    return launch(owner, { program: programOf('mosquitto'), parameters: ['-c', file], port });
  },
  async mochi(owner) {
    const port = await findFreePort();
    const program = await buildMochi();
    const others = await Promise.all([findFreePort(), findFreePort()]);
    const parameters = [
      `--tcp=127.0.0.1:${port}`,
      ...['ws', 'info'].map((name, index) => `--${name}=127.0.0.1:${others[index]}`),
    ];
    return launch(owner, { program, parameters, port });
  },
};

/** @throws {BrokerMissing} if it cannot be built here */
async function buildMochi(): Promise<string> {
  const prepared = await prepare(MOCHI);
  if ('skip' in prepared) throw new BrokerMissing(prepared.skip);
  const [program] = MOCHI.start(prepared.directory);
  return program;
}

async function launch(
  owner: Owner,
  broker: { readonly program: string; readonly parameters: readonly string[]; readonly port: number },
): Promise<FleetBroker> {
  const { program, parameters, port } = broker;
  let child = await startProcess(program, parameters, port);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  owner.after(kill);
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    async start() {
      child = await startProcess(program, parameters, port);
    },
  };
}

async function startProcess(
  program: string,
  parameters: readonly string[],
  port: number,
): Promise<ChildProcess> {
  const child = spawn(program, parameters, { stdio: 'ignore' });
  await once(child, 'spawn');
  await awaitPort(child, port);
  return child;
}

/** @throws {Error} if the broker ends or takes no connection in time */
async function awaitPort(child: ChildProcess, port: number): Promise<void> {
  for (const endMs = performance.now() + START_MS; performance.now() < endMs;) {
    if (child.exitCode !== null) break;
    if (await takesConnection(port)) return;
    await delay(20);
  }
  throw new Error(`${child.spawnfile} takes no connection`);
}

function takesConnection(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
