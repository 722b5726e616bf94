import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

import { findFreePort } from './free-ports.ts';

/** A cable to a TCP server on loopback that a test can pull, plug in again and hold still. */
export interface TcpCable extends AsyncDisposable {
  /** Port at which the server is reached through the cable. */
  readonly port: number;
  /** Ends every connection and refuses new ones; resolves when that is done. */
  pull(): Promise<void>;
  /** Ends every connection, and takes new ones. */
  cut(): void;
  /** Takes connections again. */
  mend(): Promise<void>;
  /** Keeps connections open and holds every byte in both directions. */
  hold(): void;
  /** Passes on everything that was held. */
  release(): void;
}

/**
 * Lays a cable to a port.
 *
 * @param breaks whether the cable breaks a connection instead of passing on these bytes of a client
 * @param change returns what is passed on in place of these bytes of a client
 */
export async function layTcpCable(
  targetPort: number,
  breaks: (bytes: Buffer) => boolean = () => false,
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<TcpCable> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  let server: Server | undefined;
  const keep = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    if (isHeld) socket.pause();
    // Whatever ends one side ends the other.
    socket.on('error', () => other().destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
    if (isHeld) socket.pause();
  };
  const listen = async (): Promise<Server> => {
    const listening = createServer({ noDelay: true }, (near) => {
      const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
      keep(near, () => far);
      keep(far, () => near);
      near.on('data', (bytes) => (breaks(bytes) ? near.destroy() : far.write(change(bytes))));
      far.on('data', (bytes) => near.write(bytes));
    });
    listening.listen(cable.port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  };
  const cable = {
    port: await findFreePort(),
    async pull() {
      const closed = server === undefined ? undefined : once(server, 'close');
      server?.close();
      server = undefined;
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async mend() {
      server = await listen();
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    release() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: () => cable.pull(),
  };
  server = await listen();
  return cable;
}
