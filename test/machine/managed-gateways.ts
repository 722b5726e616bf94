import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { findFreePort } from '../support/free-ports.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { programOf } from '../support/tools.ts';
import { bootContainer } from './container.ts';
import type { Container } from './container.ts';

/** Packages of a Debian that is managed over ssh. */
export const MANAGED_PACKAGES = ['git', 'gpg', 'gpg-agent', 'openssh-server', 'python3-apt'] as const;

/** A booted Debian that this machine reaches by ssh and, while there is a way, at one port. */
export interface ManagedHost {
  readonly name: string;
  readonly container: Container;
  /** Port of the loopback here that leads to one there. */
  readonly port: number;
  /** Opens the way to the port. */
  open(): Promise<void>;
  /** Ends the way with its connections. */
  cutOff(): Promise<void>;
}

/** Boots hosts side by side, which a key of the test may log in to as root; they are gone when the test ends. */
export async function bootManagedHosts(
  t: Owner,
  names: readonly string[],
  port: number,
): Promise<{ readonly hosts: readonly ManagedHost[]; readonly inventory: object }> {
  const key = path.join(createTemporaryDirectory(t), 'key');
  execFileSync(programOf('ssh-keygen'), ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', key]);
  const hosts = await Promise.all(
    names.map(async (name) => {
      const container = await bootContainer(t, { packages: MANAGED_PACKAGES });
      copyFileSync(`${key}.pub`, path.join(container.shared, 'key.pub'));
      await container.shell(`hostnamectl hostname ${name} && sed -i 's/gateway/${name}/' /etc/hosts
        install -D -m 600 key.pub /root/.ssh/authorized_keys && rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*`);
      return describeHost(t, { name, container, inside: port, port: await findFreePort() });
    }),
  );
  const described = hosts.map(({ name, container, port: here }) => [
    name,
    {
      gateway_port: here,
      ansible_ssh_common_args: `-o ProxyCommand="${[...container.entrance, programOf('socat')].join(' ')} - TCP:127.0.0.1:22"`,
    },
  ]);
  const vars = {
    ansible_user: 'root',
    ansible_ssh_private_key_file: key,
    ansible_python_interpreter: '/usr/bin/python3',
  };
  return { hosts, inventory: { all: { hosts: Object.fromEntries(described) as object, vars } } };
}

interface Description {
  readonly name: string;
  readonly container: Container;
  readonly port: number;
  readonly inside: number;
}

function describeHost(t: Owner, { name, container, port, inside }: Description): ManagedHost {
  let way: ChildProcess | undefined;
  const cutOff = async (): Promise<void> => {
    if (way?.pid === undefined || way.exitCode !== null || way.signalCode !== null) return;
    const exited = once(way, 'exit');
    // Each connection has processes of its own, in the same group.
    process.kill(-way.pid, 'SIGKILL');
    await exited;
  };
  t.after(cutOff);
  return {
    name,
    container,
    port,
    async open() {
      await cutOff();
      const inner = [...container.entrance, programOf('socat'), '-', `TCP:127.0.0.1:${inside}`].join(' ');
      const listen = `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`;
      way = spawn(programOf('socat'), ['-d', '-d', listen, `EXEC:"${inner}"`], {
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      await untilPrinted(way, 'listening on');
    },
    cutOff,
  };
}

/** Records every program that is started by a process, with its arguments and environment, until it is stopped. */
export class StartedPrograms {
  readonly file: string;
  readonly #tracers: ChildProcess[] = [];

  constructor(t: Owner) {
    this.file = path.join(createTemporaryDirectory(t), 'programs');
    writeFileSync(this.file, '');
    t.after(() => this.stop());
  }

  /** Words that start a program here whose children are recorded. */
  get entrance(): readonly string[] {
    return [programOf('strace'), '--seccomp-bpf', ...this.#words(`${this.file}.here`)];
  }

  /** Records what the SSH server of a host starts. */
  async watch({ name, container }: ManagedHost): Promise<void> {
    const server = findServer(Number(container.entrance[2]));
    const tracer = spawn(
      programOf('strace'),
      [...this.#words(`${this.file}.${name}`), '-p', String(server)],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    this.#tracers.push(tracer);
    await untilPrinted(tracer, 'attached');
  }

  /** Ends the recording, and returns what was recorded of a place: the name of a host, or `here`. */
  read(place: string): string {
    return readFileSync(`${this.file}.${place}`, 'utf8');
  }

  /** Ends the recording on the hosts. */
  async stop(): Promise<void> {
    for (const tracer of this.#tracers.splice(0)) {
      if (tracer.exitCode !== null) continue;
      const exited = once(tracer, 'exit');
      tracer.kill('SIGTERM');
      await exited;
    }
  }

  #words(file: string): readonly string[] {
    return ['-f', '-v', '-s', '1000000', '-e', 'trace=execve', '-e', 'signal=none', '-o', file];
  }
}

/** Waits for a text among the errors of a program, which are read to the end. */
function untilPrinted(program: ChildProcess, text: string): Promise<void> {
  let seen = '';
  return new Promise((resolve, reject) => {
    program.once('exit', (status) => reject(new Error(`it ended with ${status ?? 'a signal'}: ${seen}`)));
    program.stderr?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) resolve();
    });
  });
}

/** Returns the process of the SSH server among the services of a container, by its leader. */
function findServer(leader: number): number {
  const children = readFileSync(`/proc/${leader}/task/${leader}/children`, 'utf8').trim().split(' ');
  const server = children.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sshd');
  if (server === undefined) throw new Error('the container has no SSH server');
  return Number(server);
}
