import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

import { describeMissing } from '../tools.ts';

const AS_ROOT = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const OWN = ['--pid', '--fork', '--mount-proc', '--mount', '--net', '--kill-child'];
// `$0` becomes a file system that records each access; the loopback is up, and names are asked for there. Descriptor 9 is inherited.
const SET_UP = `mount -t tmpfs -o strictatime,size=512m none "$0" && ip link set lo up &&
  echo 'nameserver 127.0.0.1' >"$0/resolv.conf" && mount --bind "$0/resolv.conf" /etc/resolv.conf &&
  echo "$CANARY" >"$0/inherited" && exec 9<"$0/inherited" && exec "$@"`;

/** Says why this machine lets no test have PID, mount and network namespaces; undefined: it does. */
export function findNamespaceObstacle(): string | undefined {
  const missing = describeMissing(['ip']);
  if (missing !== undefined) return missing;
  const [program = '', ...given] = inNamespaces('/mnt', ['true']);
  const { status, stderr } = spawnSync(program, given, { encoding: 'utf8' });
  return status === 0 ? undefined : `no namespaces here: ${stderr.trim()}`;
}

/**
 * Runs a command as the first process of a PID namespace, in mount and network namespaces of its own: no signal and no packet leaves them, and all that
 * it starts ends with it.
 *
 * @param root an empty directory, in which a file system for the command alone is mounted
 * @param secret goes into its environment and into an inherited descriptor
 * @returns its standard error
 */
export async function runInNamespaces(
  root: string,
  secret: string,
  command: readonly string[],
): Promise<{ readonly status: number | null; readonly errors: string }> {
  const [program = '', ...given] = inNamespaces(root, command);
  const child = spawn(program, given, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], CANARY: secret },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, errors };
}

function inNamespaces(root: string, command: readonly string[]): readonly string[] {
  return ['unshare', ...AS_ROOT, ...OWN, 'sh', '-c', SET_UP, root, ...command];
}

/** Returns a command that runs another one in a network namespace with its own loopback; the process stays the same. */
export function inNetworkNamespace(command: readonly string[]): readonly string[] {
  return ['unshare', ...AS_ROOT, '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
}
