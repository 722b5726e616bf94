import { readlinkSync } from 'node:fs';

import { readListeningSockets } from '../../base/network/socket-table.ts';

/** A listening TCP socket that the service manager opened. */
export interface InheritedSocket {
  readonly descriptor: number;
  /** It accepts connections to every address of the machine. */
  readonly isEveryAddress: boolean;
}

/** Sockets by port. */
export type InheritedSockets = ReadonlyMap<number, InheritedSocket>;

interface InheritedSocketsOptions {
  /** Environment of the process; the variables of the protocol are removed, so that no child uses them. */
  readonly environment: Record<string, string | undefined>;
  readonly processId: number;
}

// The first descriptor passed by a service manager (sd_listen_fds(3)).
const FIRST_DESCRIPTOR = 3;
const MAXIMUM_DESCRIPTORS = 64;

/** Returns the sockets that systemd listens on for the daemon (`penstock.socket`); none without socket activation. */
export function takeInheritedSockets({ environment, processId }: InheritedSocketsOptions): InheritedSockets {
  const { LISTEN_FDS, LISTEN_PID } = environment;
  for (const name of ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES']) delete environment[name];
  if (LISTEN_FDS === undefined || Number(LISTEN_PID) !== processId) return new Map();
  const listening = readListeningSockets();
  const descriptors = Array.from(
    { length: Math.min(Number(LISTEN_FDS) || 0, MAXIMUM_DESCRIPTORS) },
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

function readInode(descriptor: number): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1] ?? '';
  } catch {
    return '';
  }
}
