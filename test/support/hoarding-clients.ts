import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Owner } from './temporary-directory.ts';

/** Clients that occupy as much memory of the gateway as they can. */
export interface HoardingClients {
  readonly port: number;
  readonly connections: number;
  /** Addresses of the loopback network over which the connections are spread. */
  readonly addresses: number;
  /** Whole requests as they go over the wire. */
  readonly requests: readonly string[];
  /** All requests at once; otherwise the first one alone. */
  readonly isPipelined: boolean;
  readonly reading: 'NEVER' | 'SLOWLY';
}

const PROGRAM = path.join(import.meta.dirname, 'hoarding-clients-process.ts');

/** Starts the clients in their own process; returns when each has sent all that it sends, or was refused. */
export async function startHoardingClients(t: Owner, clients: HoardingClients): Promise<() => Promise<void>> {
  const child = fork(PROGRAM);
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  t.after(stop);
  child.send(clients);
  await once(child, 'message');
  return stop;
}
