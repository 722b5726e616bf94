import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import type { Clock } from '../../base/clock.ts';

/** One open port. */
export interface ProbedPort {
  /** Address that the port is bound to. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const REQUEST = 'HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/**
 * Checks that a port is served. The kernel accepts connections even for a blocked process, so a response is required.
 * Any response is sufficient, including a refusal of the handshake or of the connection.
 *
 * @returns true if a response arrived within `timeoutMs`
 */
export function probePort(
  { host, port, isTls }: ProbedPort,
  clock: Clock,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const target = { host: toReachable(host), port };
    // Liveness check of our own port; its identity does not matter.
    const socket: Socket = isTls ? connectTls({ ...target, rejectUnauthorized: false }) : connectTcp(target);
    let isConnected = false;
    const end = (isServed: boolean): void => {
      cancel();
      socket.destroy();
      resolve(isServed);
    };
    const cancel = clock.schedule(timeoutMs, () => end(false));
    socket.once('connect', () => {
      isConnected = true;
      if (!isTls) socket.write(REQUEST);
    });
    socket.once('secureConnect', () => end(true));
    socket.once('data', () => end(true));
    socket.once('error', () => end(isConnected));
    socket.once('close', () => end(isConnected));
  });
}

// Every address includes the loopback, in whichever family the machine has.
function toReachable(host: string): string {
  return host === '::' || host === '0.0.0.0' ? 'localhost' : host;
}
