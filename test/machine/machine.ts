import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { BOOTED, buildMachineImage, IMAGE_TOOLS } from './machine-image.ts';
import type { MachineImage } from './machine-image.ts';
import { describeMissing, programOf } from '../support/tools.ts';

/** A Debian with its own kernel and disk, in an emulated machine. */
export interface Machine {
  /** Unix socket here that is the far end of /dev/ttyS1 there; one connection at a time. */
  readonly serialLine: string;
  /** Runs a shell script as root in /root/run; returns its output and status. */
  run(script: string): Promise<{ readonly status: number | null; readonly output: string }>;
  /** Runs a shell script as root and returns its output; throws with it when the script fails. */
  shell(script: string): Promise<string>;
  /** Copies a file of this machine to /root/run there. */
  copy(file: string, name: string): Promise<void>;
  /** Writes a file in /root/run there. */
  put(content: string, name: string): Promise<void>;
  /** Port of 127.0.0.1 here that leads to a port there. */
  port(inside: number): number;
  /** Ends the machine as a loss of power does: data not flushed to its disk is lost. */
  cutPower(): Promise<void>;
  /** Boots from the disk as the last end left it. */
  boot(): Promise<void>;
}

/** Address of this machine, seen from there: its loopback. */
export const HOST = '10.0.2.2';

const TOOLS = ['qemu-system-x86_64', 'qemu-img', 'ssh'] as const;
const MEMORY_MIB = 1024;
const BOOT_TRIES = 3000;
const BOOT_PAUSE_MS = 100;
const SSH_PORT = 22;

/** Says why no machine can be emulated here; undefined when one can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make the disk of a machine';
  return describeMissing([...TOOLS, ...IMAGE_TOOLS]);
}

/**
 * Boots a fresh machine; it is gone when the test ends.
 *
 * @param ports those inside that can be reached from here
 */
export async function bootMachine(t: Owner, ports: readonly number[]): Promise<Machine> {
  const image = buildMachineImage();
  const folder = createTemporaryDirectory(t);
  execFileSync(programOf('qemu-img'), [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-b',
    image.disk,
    '-F',
    'raw',
    path.join(folder, 'disk'),
  ]);
  const forwards = new Map<number, number>();
  for (const inside of [SSH_PORT, ...ports]) forwards.set(inside, await findFreePort());
  const login = describeLogin(image.key, forwards.get(SSH_PORT) ?? 0, path.join(folder, 'ssh'));
  let emulator: ChildProcess | undefined;
  let connection: ChildProcess | undefined;

  const machine: Machine = {
    serialLine: path.join(folder, 'serial'),
    async run(script) {
      const child = spawn(programOf('ssh'), [...login, '127.0.0.1', 'cd /root/run && sh 2>&1'], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.end(script);
      const [output, complaint, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return { status, output: output + complaint };
    },
    async shell(script) {
      const { status, output } = await machine.run(script);
      if (status !== 0) throw new Error(`${script}\nended with ${status ?? 'a signal'}:\n${output}`);
      return output;
    },
    copy: (file, name) => send(login, createReadStream(file), name),
    put: (content, name) => send(login, Readable.from([content]), name),
    port(inside) {
      const port = forwards.get(inside);
      if (port === undefined) throw new Error(`port ${inside} leads nowhere`);
      return port;
    },
    async cutPower() {
      await kill(emulator);
      await kill(connection);
    },
    async boot() {
      // Files of an earlier boot mean nothing now.
      for (const name of ['console', 'ssh']) rmSync(path.join(folder, name), { force: true });
      emulator = startEmulator(image, folder, forwards);
      await untilBooted(emulator, folder);
      connection = await connect(login);
    },
  };
  t.after(() => machine.cutPower());
  await machine.boot();
  return machine;
}

// Everything stays on the loopback, and each machine has its own keys.
const UNKNOWN_HOST = '-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR';

function describeLogin(key: string, port: number, controlPath: string): readonly string[] {
  const where = ['-i', key, '-p', String(port), '-l', 'root', '-o', `ControlPath=${controlPath}`];
  return [...UNKNOWN_HOST.split(' '), ...where];
}

// In software throughout: not every host can do otherwise, and the machine is the same on all of them.
const BOARD = `-machine pc -accel tcg,tb-size=256 -cpu max -smp 2 -m ${MEMORY_MIB} -nodefaults -no-user-config -display none`;

function startEmulator(
  image: MachineImage,
  folder: string,
  forwards: ReadonlyMap<number, number>,
): ChildProcess {
  const forwarding = [...forwards].map(([inside, here]) => `,hostfwd=tcp:127.0.0.1:${here}-:${inside}`);
  const devices = [
    ['-kernel', image.kernel],
    ['-initrd', image.initialRamDisk],
    ['-append', 'root=/dev/vda rw console=ttyS0 quiet mitigations=off'],
    ['-drive', `file=${path.join(folder, 'disk')},format=qcow2,if=virtio`],
    ['-netdev', `user,id=net,ipv6=off${forwarding.join('')}`],
    ['-device', 'virtio-net-pci,netdev=net,romfile='],
    ['-serial', `file:${path.join(folder, 'console')}`],
    ['-serial', `unix:${path.join(folder, 'serial')},server=on,wait=off`],
  ];
  // It ends with the test, however that ends.
  const parameters = [
    '--pdeathsig',
    'KILL',
    programOf('qemu-system-x86_64'),
    ...BOARD.split(' '),
    ...devices.flat(),
  ];
  return spawn('setpriv', parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function untilBooted(emulator: ChildProcess, folder: string): Promise<void> {
  let complaint = '';
  emulator.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  for (let tries = 0; tries < BOOT_TRIES; tries += 1) {
    if (hasEnded(emulator)) throw new Error(`the emulator ended: ${complaint}`);
    if (readConsole(folder).includes(BOOTED)) return;
    await pause(BOOT_PAUSE_MS);
  }
  throw new Error(`the machine does not boot: ${readConsole(folder)}`);
}

function readConsole(folder: string): string {
  try {
    return readFileSync(path.join(folder, 'console'), 'utf8');
  } catch {
    return '';
  }
}

// Every script goes over this one: a key exchange takes long in an emulated machine.
async function connect(login: readonly string[]): Promise<ChildProcess> {
  const child = spawn(programOf('ssh'), [...login, '-M', '127.0.0.1', 'echo ready && cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('nobody can log in to the machine')));
  await once(child.stdout, 'data', { signal: ended.signal });
  return child;
}

async function send(login: readonly string[], content: Readable, name: string): Promise<void> {
  const child = spawn(programOf('ssh'), [...login, '127.0.0.1', `cat >/root/run/${name}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  content.pipe(child.stdin);
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${name} was not copied: ssh ended with ${status ?? 'a signal'}`);
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
