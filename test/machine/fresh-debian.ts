import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { describeMissing, programOf } from '../support/tools.ts';
import { CACHE, findMirrors } from './mirror.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const USER_ID = 1000;
const HOME = '/home/user';
// Folders that a checkout does not have.
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'build', 'node_modules']);

/** Releases of Debian whose own npm the project is installed with. */
export const FRESH_RELEASES = ['bookworm', 'trixie'] as const;
type FreshRelease = (typeof FRESH_RELEASES)[number];

/**
 * A Debian that has its required packages and its own npm, which brings Node.js. The project lies in the folder `penstock` of
 * the home of an ordinary user.
 */
export interface FreshDebian {
  /** Runs a shell script in the folder of the project, without a network but its loopback; returns its output and status. */
  run(user: 'root' | 'user', script: string): Promise<Ended>;
  /** Runs `npm ci` with the network and the npm settings of this machine; returns its output and status. */
  install(user: 'root' | 'user'): Promise<Ended>;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Says why there can be none here; undefined when there can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start a container';
  return describeMissing(['mmdebstrap', 'systemd-nspawn']);
}

/** Lays a fresh Debian out; it is gone when the test ends. */
export function layOutFreshDebian(t: Owner, release: FreshRelease): FreshDebian {
  const image = buildImage(release);
  const home = createTemporaryDirectory(t);
  cpSync(ROOT, path.join(home, 'penstock'), {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(path.relative(ROOT, source)),
  });
  const npm = readNpmSettings();
  const cache = path.join(npm.cache, '_cacache');
  if (existsSync(cache)) cpSync(cache, path.join(home, '.npm/_cacache'), { recursive: true });
  execFileSync('chown', ['--recursive', `${USER_ID}:${USER_ID}`, home]);
  const start = async (user: string, script: string, parameters: readonly string[]): Promise<Ended> => {
    const child = spawn(
      programOf('systemd-nspawn'),
      [
        '--quiet',
        '--register=no',
        '--keep-unit',
        '--link-journal=no',
        '--as-pid2',
        '--console=pipe',
        '--volatile=overlay',
        `--directory=${image}`,
        `--machine=fresh-${release}-${process.pid}`,
        `--bind=${home}:${HOME}`,
        `--setenv=HOME=${HOME}`,
        '--setenv=npm_config_update_notifier=false',
        `--user=${user}`,
        `--chdir=${HOME}/penstock`,
        ...parameters,
        'sh',
        '-c',
        script,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(() => void child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, output };
  };
  return {
    run: (user, script) => start(user, script, ['--private-network', '--setenv=npm_config_offline=true']),
    install: (user) => start(user, 'npm ci', ['--resolv-conf=copy-host', ...npm.parameters]),
  };
}

/** Reads how npm reaches its registry here, as parameters of the container, and where it keeps what it fetched. */
function readNpmSettings(): { readonly cache: string; readonly parameters: readonly string[] } {
  const text = execFileSync('npm', ['config', 'list', '--json'], { encoding: 'utf8' });
  const settings = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const given = ['registry', 'proxy', 'https-proxy', 'cafile'].flatMap((name) => {
    const value = settings[name];
    return typeof value === 'string' ? [[`npm_config_${name.replace('-', '_')}`, value] as const] : [];
  });
  const { cafile } = settings;
  return {
    cache: String(settings['cache']),
    parameters: [
      ...given.map(([name, value]) => `--setenv=${name}=${value}`),
      '--setenv=npm_config_prefer_offline=true',
      ...(typeof cafile === 'string' ? [`--bind-ro=${cafile}`] : []),
    ],
  };
}

// Kept from one run to the next.
function buildImage(release: FreshRelease): string {
  const image = path.join(CACHE, `${release}-with-npm-and-localhost`);
  if (existsSync(image)) return image;
  mkdirSync(CACHE, { recursive: true });
  const partial = `${image}.tmp`;
  rmSync(partial, { recursive: true, force: true });
  execFileSync(programOf('mmdebstrap'), [
    '--quiet',
    '--variant=minbase',
    '--dpkgopt=force-unsafe-io',
    '--include=npm',
    release,
    partial,
    ...findMirrors(release),
  ]);
  execFileSync('chroot', [partial, 'useradd', '--create-home', '--uid', String(USER_ID), 'user']);
  chownSync(path.join(partial, HOME), USER_ID, USER_ID);
  // As every installed Debian has it; mmdebstrap leaves it to whoever configures the system.
  writeFileSync(path.join(partial, 'etc/hosts'), '127.0.0.1 localhost\n');
  renameSync(partial, image);
  return image;
}
