import { once } from 'node:events';
import net from 'node:net';

import type { Owner } from './temporary-directory.ts';

export interface LineMeter {
  readonly port: number;
  /** Breaks every connection; new ones are welcome. */
  cut(): void;
}

/** A meter that speaks lines of text: 12.01 volts, no amperes, and a relay that takes 1. */
export async function startLineMeter(owner: Owner): Promise<LineMeter> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (text) => {
      const question = text.toString().trim();
      socket.write({ 'READ volts': '12.01\n', 'SET relay 1': 'OK\n' }[question] ?? 'ERR 7\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  owner.after(() => {
    cut();
    server.close();
  });
  return { port: (server.address() as net.AddressInfo).port, cut };
}
