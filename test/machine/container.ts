import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ControlGroups } from './control-groups.ts';
import type { Limits, Usage } from './control-groups.ts';
import { CACHE, findMirrors, RELEASE } from './mirror.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { describeMissing, programOf } from '../support/tools.ts';

/** A Debian that systemd booted, on the kernel of this machine. */
export interface Container {
  /** Folder here that is /root/run there. */
  readonly shared: string;
  /** Runs a shell script as root; returns its output and status. */
  run(script: string): Promise<{ readonly status: number | null; readonly output: string }>;
  /** Runs a shell script as root and returns its output; throws with it when the script fails. */
  shell(script: string): Promise<string>;
  /** Words before those of a program of this machine, which then has the network of the container, but not its limits. */
  readonly entrance: readonly [string, ...string[]];
  /** Returns what was used so far; throws when the container has no limits. */
  measure(): Usage;
}

const PACKAGES = [
  'ca-certificates',
  'curl',
  'dbus',
  'libstdc++6',
  'openssl',
  'procps',
  'systemd-sysv',
  'udev',
];
const BOOT_TRIES = 300;
const BOOT_PAUSE_MS = 100;

/** Says why no container can be booted here; undefined when one can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can boot a container';
  return describeMissing([
    'mmdebstrap',
    'systemd-nspawn',
    'x86_64-linux-gnu-strip',
    'aarch64-linux-gnu-strip',
  ]);
}

/** What a container has that others do not have. */
interface ContainerOptions {
  /** They hold for all that runs in it, and are enforced from outside: it is not told. */
  readonly limits?: Limits;
  /** Packages of Debian. */
  readonly packages?: readonly string[];
}

/** Boots a fresh container; it is gone when the test ends. */
export async function bootContainer(t: Owner, options: ContainerOptions = {}): Promise<Container> {
  const { limits } = options;
  const image = buildImage([...PACKAGES, ...(options.packages ?? [])]);
  const shared = createTemporaryDirectory(t);
  const groups = new ControlGroups(path.basename(shared), limits);
  // What is changed in an overlay is kept in memory, and would count against the limits.
  const copy = limits === undefined ? undefined : copyImage(image);
  const supervisor = spawn(
    'sh',
    [
      '-c',
      `${groups.enterAsSupervisor()}; exec "$@"`,
      'sh',
      programOf('systemd-nspawn'),
      '--quiet',
      ...(copy === undefined
        ? // Several containers may have the same image.
          [`--directory=${image}`, '--volatile=overlay', '--read-only']
        : [`--directory=${copy}`]),
      `--machine=${path.basename(shared)}`,
      '--private-network',
      `--bind=${shared}:/root/run`,
      '--register=no',
      '--keep-unit',
      '--link-journal=no',
      '--console=pipe',
      '--boot',
    ],
    { stdio: ['ignore', 'ignore', 'ignore'], env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' } },
  );
  t.after(async () => {
    if (supervisor.exitCode === null) {
      const exited = once(supervisor, 'exit');
      for (const child of listChildren(supervisor.pid ?? 0)) killIfThere(child);
      supervisor.kill('SIGTERM');
      await exited;
    }
    groups.remove();
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  });
  const leader = await findLeader(supervisor);
  const run = (script: string) => runInside(leader, script, groups.enterLimits());
  await untilBooted(run);
  return {
    shared,
    run,
    async shell(script) {
      const { status, output } = await run(script);
      if (status !== 0) throw new Error(`${script}\nended with ${status ?? 'a signal'}:\n${output}`);
      return output;
    },
    entrance: ['nsenter', '--target', String(leader), '--net', '--'],
    measure: () => groups.measure(),
  };
}

/** Copies the image, and returns the folder of the copy. */
function copyImage(image: string): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'penstock-tree-'));
  execFileSync('cp', ['--archive', '--reflink=auto', `${image}/.`, copy]);
  return copy;
}

// Kept from one run to the next; each list of packages has its own image.
function buildImage(packages: readonly string[]): string {
  const hash = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12);
  const image = path.join(CACHE, `${RELEASE}-${hash}`);
  if (existsSync(image)) return image;
  mkdirSync(CACHE, { recursive: true });
  const partial = `${image}.tmp`;
  rmSync(partial, { recursive: true, force: true });
  execFileSync(programOf('mmdebstrap'), [
    '--quiet',
    '--variant=apt',
    '--dpkgopt=force-unsafe-io',
    `--include=${packages.join(',')}`,
    RELEASE,
    partial,
    ...findMirrors(),
  ]);
  writeFileSync(path.join(partial, 'etc/hostname'), 'gateway\n');
  writeFileSync(path.join(partial, 'etc/hosts'), '127.0.0.1 localhost gateway\n::1 localhost\n');
  for (const unit of ['apt-daily.timer', 'apt-daily-upgrade.timer', 'systemd-networkd-wait-online.service']) {
    execFileSync('chroot', [partial, 'systemctl', '--quiet', 'mask', unit]);
  }
  renameSync(partial, image);
  return image;
}

async function findLeader(supervisor: ChildProcess): Promise<number> {
  for (let tries = 0; tries < BOOT_TRIES; tries += 1) {
    if (supervisor.exitCode !== null) throw new Error(`systemd-nspawn ended with ${supervisor.exitCode}`);
    // Before, there is a process for a moment that prepares the tree.
    const leader = listChildren(supervisor.pid ?? 0).find((child) => readName(child) === 'systemd');
    if (leader !== undefined) return leader;
    await pause(BOOT_PAUSE_MS);
  }
  throw new Error('systemd-nspawn started nothing');
}

function listChildren(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function readName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

async function untilBooted(run: Container['run']): Promise<void> {
  let output = '';
  for (let tries = 0; tries < BOOT_TRIES; tries += 1) {
    ({ output } = await run('systemctl is-system-running --wait'));
    if (/^(running|degraded)/m.test(output)) return;
    await pause(BOOT_PAUSE_MS);
  }
  throw new Error(`the container does not boot: ${output}`);
}

async function runInside(leader: number, script: string, enter: string) {
  const environment = ['HOME=/root', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];
  const child = spawn(
    'sh',
    [
      '-c',
      `${enter}; exec "$@"`,
      'sh',
      'nsenter',
      '--target',
      String(leader),
      '--all',
      'env',
      '-i',
      ...environment,
      'sh',
      '-c',
      `cd /root/run && { ${script}\n}`,
    ],
    // Its own process group: a script that signals its group reaches no process of the test.
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
