import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { describeMissing, programOf } from '../support/tools.ts';
import { CACHE, findMirrors, RELEASE } from './mirror.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const USER_ID = 1000;
const HOME = '/home/user';
const PROGRAMS = '/usr/local';
// Folders that a checkout does not have.
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'build', 'node_modules']);

/**
 * A Debian that has its required packages, Node.js and npm, and no network but its loopback. The project lies in the folder
 * `penstock` of the home of an ordinary user; packages of npm come from the cache of this machine.
 */
export interface FreshDebian {
  /** Runs a shell script in the folder of the project; returns its output and status. */
  run(
    user: 'root' | 'user',
    script: string,
  ): Promise<{ readonly status: number | null; readonly output: string }>;
}

/** Says why there can be none here; undefined when there can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start a container';
  return describeMissing(['mmdebstrap', 'systemd-nspawn']);
}

/** Lays a fresh Debian out; it is gone when the test ends. */
export function layOutFreshDebian(t: Owner): FreshDebian {
  const image = buildImage();
  const home = createTemporaryDirectory(t);
  cpSync(ROOT, path.join(home, 'penstock'), {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(path.relative(ROOT, source)),
  });
  const cache = execFileSync('npm', ['config', 'get', 'cache'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cpSync(path.join(cache.trim(), '_cacache'), path.join(home, '.npm/_cacache'), { recursive: true });
  execFileSync('chown', ['--recursive', `${USER_ID}:${USER_ID}`, home]);
  const environment = { HOME, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  return {
    async run(user, script) {
      const child = spawn(
        programOf('systemd-nspawn'),
        [
          '--quiet',
          '--register=no',
          '--keep-unit',
          '--link-journal=no',
          '--as-pid2',
          '--console=pipe',
          '--private-network',
          '--volatile=overlay',
          `--directory=${image}`,
          `--machine=fresh-${process.pid}`,
          `--bind=${home}:${HOME}`,
          `--bind-ro=${process.execPath}:${PROGRAMS}/bin/node`,
          `--bind-ro=${findNpm()}:${PROGRAMS}/lib/node_modules/npm`,
          ...Object.entries(environment).map(([name, value]) => `--setenv=${name}=${value}`),
          `--user=${user}`,
          `--chdir=${HOME}/penstock`,
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
    },
  };
}

/** Returns the folder of the npm that this process was started by, or of the one in the path. */
function findNpm(): string {
  const given =
    process.env['npm_execpath'] ?? execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  return path.resolve(realpathSync(given), '../..');
}

// Kept from one run to the next.
function buildImage(): string {
  const image = path.join(CACHE, `${RELEASE}-fresh`);
  if (existsSync(image)) return image;
  mkdirSync(CACHE, { recursive: true });
  const partial = `${image}.tmp`;
  rmSync(partial, { recursive: true, force: true });
  execFileSync(programOf('mmdebstrap'), [
    '--quiet',
    '--variant=minbase',
    '--dpkgopt=force-unsafe-io',
    // Libraries that Node.js itself is linked with.
    '--include=libstdc++6',
    RELEASE,
    partial,
    ...findMirrors(),
  ]);
  execFileSync('chroot', [partial, 'useradd', '--create-home', '--uid', String(USER_ID), 'user']);
  for (const folder of ['bin', 'lib/node_modules/npm']) {
    mkdirSync(path.join(partial, PROGRAMS, folder), { recursive: true });
  }
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(partial, PROGRAMS, 'bin/npm'));
  chownSync(path.join(partial, HOME), USER_ID, USER_ID);
  renameSync(partial, image);
  return image;
}
