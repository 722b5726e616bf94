import { readFileSync, readlinkSync } from 'node:fs';

/** A listening TCP socket that the service manager opened. */
export interface InheritedSocket {
  readonly descriptor: number;
  /** It accepts connections to every address of the machine. */
  readonly isEveryAddress: boolean;
}

/** Sockets by port. */
export type InheritedSockets = ReadonlyMap<number, InheritedSocket>;

interface InheritedSocketsOptions {
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
  const listening = parseListeningSockets(TABLES.map(readTable).join('\n'));
  const descriptors = Array.from(
    { length: Math.min(Number(LISTEN_FDS) || 0, MOST_DESCRIPTORS) },
    (_, index) => FIRST_DESCRIPTOR + index,
  );
  return new Map(
    descriptors.flatMap((descriptor) => {
      const socket = listening.get(readInode(descriptor));
      if (socket === undefined) return [];
      return [[socket.port, { descriptor, isEveryAddress: socket.isEveryAddress }] as const];
    }),
  );
}

/**
 * Reads the table of TCP sockets of Linux (proc(5), `/proc/net/tcp`).
 *
 * @param table one table or several, one row per line
 * @returns listening sockets by inode
 */
export function parseListeningSockets(
  table: string,
): ReadonlyMap<string, { readonly port: number; readonly isEveryAddress: boolean }> {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap(([, local = '', , state, , , , , , inode]) => {
      const [address = '', port = ''] = local.split(':');
      if (state !== LISTENING || inode === undefined) return [];
      return [[inode, { port: Number.parseInt(port, 16), isEveryAddress: /^0+$/.test(address) }] as const];
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
