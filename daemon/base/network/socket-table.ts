import { readFileSync } from 'node:fs';

/** A TCP socket that accepts connections. */
export interface ListeningSocket {
  readonly port: number;
  /** It accepts connections to every address of the machine. */
  readonly isEveryAddress: boolean;
  /** User that opened it. */
  readonly userId: number;
}

const TABLES = ['/proc/self/net/tcp6', '/proc/self/net/tcp'];
const LISTENING = '0A';

/** Returns the listening TCP sockets of the machine by inode; none if the kernel does not show them. */
export function readListeningSockets(): ReadonlyMap<string, ListeningSocket> {
  return parseListeningSockets(TABLES.map(readTable).join('\n'));
}

/**
 * Reads the table of TCP sockets of Linux (proc(5), `/proc/net/tcp`).
 *
 * @param table one table or several, one row per line
 * @returns listening sockets by inode
 */
export function parseListeningSockets(table: string): ReadonlyMap<string, ListeningSocket> {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap(([, local = '', , state, , , , userId, , inode]) => {
      const [address = '', port = ''] = local.split(':');
      if (state !== LISTENING || inode === undefined) return [];
      const socket = { port: Number.parseInt(port, 16), isEveryAddress: /^0+$/.test(address) };
      return [[inode, { ...socket, userId: Number(userId) }] as const];
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
