import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';

import type { AttemptTarget, Fact } from './attempt.ts';

/** Sockets of every kind that a bundle may not reach. */
export class CanaryListeners {
  readonly addresses: Pick<AttemptTarget, 'socket' | 'abstractSocket' | 'tcpPort' | 'udpPort'>;
  readonly #facts: Fact[];
  readonly #closers: readonly (() => void)[];

  private constructor(
    addresses: CanaryListeners['addresses'],
    facts: Fact[],
    closers: readonly (() => void)[],
  ) {
    this.addresses = addresses;
    this.#facts = facts;
    this.#closers = closers;
  }

  /** Opens them; the one of the file system lies in `folder`. Port 53 is open as well, where it is free. */
  static async open(folder: string): Promise<CanaryListeners> {
    const facts: Fact[] = [];
    const closers: (() => void)[] = [];
    const listen = async (where: net.ListenOptions): Promise<number> => {
      const server = net.createServer((socket) => {
        facts.push({ kind: 'contacted', detail: where.path ?? `TCP ${where.port ?? 0}` });
        socket.on('error', () => undefined).end('HTTP/1.1 204 No Content\r\n\r\n');
      });
      server.listen(where);
      await once(server, 'listening');
      closers.push(() => server.close());
      const address = server.address();
      return typeof address === 'object' ? (address?.port ?? 0) : 0;
    };
    const bind = async (type: dgram.SocketType, port: number): Promise<number> => {
      const socket = dgram.createSocket({ type, ipv6Only: type === 'udp6' });
      socket.on('message', () => facts.push({ kind: 'contacted', detail: `UDP ${port}` }));
      socket.bind(port);
      await once(socket, 'listening');
      closers.push(() => socket.close());
      return socket.address().port;
    };
    const socket = path.join(folder, 'listener.sock');
    const abstractSocket = '\0penstock-canary';
    await listen({ path: socket });
    await listen({ path: abstractSocket });
    const tcpPort = await listen({ port: 0, host: '::' });
    const udpPort = await bind('udp4', 0);
    await bind('udp6', udpPort);
    await bind('udp4', 53).catch(() => 0);
    await listen({ port: 53, host: '::' }).catch(() => 0);
    return new CanaryListeners({ socket, abstractSocket, tcpPort, udpPort }, facts, closers);
  }

  /** Lists what has arrived since the last call. */
  look(): readonly Fact[] {
    return this.#facts.splice(0);
  }

  close(): void {
    for (const close of this.#closers) close();
  }
}
