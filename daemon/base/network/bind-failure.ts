import { readFileSync } from 'node:fs';

import { messageOf } from '../errors.ts';
import { findProcessWith } from '../process/find-process.ts';
import { readListeningSockets } from './socket-table.ts';

/** Reason that a port could not be opened. */
export interface BindFailure {
  readonly code: 'PORT_IN_USE' | 'PORT_FORBIDDEN' | 'PORT_UNAVAILABLE';
  /** Text; a port in use is shown with its owner if visible to this user. */
  readonly text: string;
}

/**
 * Describes the reason that a port could not be opened.
 *
 * @param cause as `listen` reports it
 */
export function describeBindFailure(
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
): BindFailure {
  const owner = findOwner(port);
  const inUse = {
    code: 'PORT_IN_USE',
    text: `port ${port} is in use by ${owner ?? 'another program'}`,
  } as const;
  switch ((cause as { readonly code?: unknown }).code) {
    case 'EADDRINUSE':
      return inUse;
    case 'EACCES': {
      // The kernel checks the permission before it checks for other users of the port.
      if (owner !== undefined) return inUse;
      const text = `this user is not allowed to open port ${port}; let penstock.socket open it`;
      return { code: 'PORT_FORBIDDEN', text };
    }
    case 'EADDRNOTAVAIL':
      return unavailable(port, `${host} is not an address of this machine`);
    default:
      return unavailable(port, messageOf(cause));
  }
}

function unavailable(port: number, reason: string): BindFailure {
  return { code: 'PORT_UNAVAILABLE', text: `cannot open port ${port}: ${reason}` };
}

function findOwner(port: number): string | undefined {
  const sockets = [...readListeningSockets()].filter(([, socket]) => socket.port === port);
  const [first] = sockets;
  if (first === undefined) return undefined;
  const owner = findProcessWith(new Set(sockets.map(([inode]) => `socket:[${inode}]`)));
  if (owner !== undefined) return `${owner.name} (process ${owner.pid})`;
  const user = findUserName(first[1].userId);
  return `a program of the user ${user}; to find it, run as root: ss -ltnp 'sport = :${port}'`;
}

function findUserName(userId: number): string {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n');
    return users.find((line) => line.split(':')[2] === String(userId))?.split(':')[0] ?? String(userId);
  } catch {
    return String(userId);
  }
}
