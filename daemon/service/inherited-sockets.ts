import { readFileSync, readlinkSync } from 'node:fs';

/** Descriptors of listening TCP sockets that the service manager opened, by port. */
export type InheritedSockets = ReadonlyMap<number, number>;

export interface InheritedSocketsOptions {
  /** The environment of the process; the variables of the protocol are taken out, so that no child believes them. */
  readonly environment: Record<string, string | undefined>;
  readonly processId: number;
}

// The first descriptor that a service manager hands over (sd_listen_fds(3)).
const FIRST_DESCRIPTOR = 3;
const MOST_DESCRIPTORS = 64;
const TABLES = ['/proc/self/net/tcp6', '/proc/self/net/tcp'];
const LISTENING = '0A';

/** Takes over the sockets that systemd listens on for the daemon (`penstock.socket`); none when it started it alone. */
export function takeInheritedSockets({ environment, processId }: InheritedSocketsOptions): InheritedSockets {
  const { LISTEN_FDS, LISTEN_PID } = environment;
  for (const name of ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES']) delete environment[name];
  if (LISTEN_FDS === undefined || Number(LISTEN_PID) !== processId) return new Map();
  const portOf = parseListeningPorts(TABLES.map(readTable).join('\n'));
  const descriptors = Array.from(
    { length: Math.min(Number(LISTEN_FDS) || 0, MOST_DESCRIPTORS) },
    (_, index) => FIRST_DESCRIPTOR + index,
  );
  return new Map(
    descriptors.flatMap((descriptor) => {
      const port = portOf.get(readInode(descriptor));
      return port === undefined ? [] : [[port, descriptor] as const];
    }),
  );
}

/**
 * Reads the table of TCP sockets of Linux (proc(5), `/proc/net/tcp`).
 *
 * @param table one table or several, one row per line
 * @returns ports of listening sockets by inode
 */
export function parseListeningPorts(table: string): ReadonlyMap<string, number> {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap(([, local = '', , state, , , , , , inode]) => {
      const port = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16);
      return state === LISTENING && inode !== undefined ? [[inode, port] as const] : [];
    }),
  );
}

function readTable(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A machine without IPv6 has one table less.
    return '';
  }
}

function readInode(descriptor: number): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1] ?? '';
  } catch {
    return '';
  }
}
