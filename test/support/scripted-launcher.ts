import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

/** Speaks the protocol of `penstock-launcher`, and answers as a test says. */
export class ScriptedLauncher {
  readonly socket: string;
  /** Requests, each as its lines without `end`. */
  readonly requests: (readonly string[])[] = [];
  /** Lines that came after a request. */
  readonly later: string[] = [];
  /** Connections of clients, in their order. */
  readonly connections: net.Socket[] = [];
  readonly #server: net.Server;

  private constructor(socket: string, server: net.Server) {
    this.socket = socket;
    this.#server = server;
  }

  /**
   * Listens until the test ends.
   *
   * @param onRequest called with each request and the connection that it came over
   */
  static async listen(
    owner: Owner,
    onRequest: (lines: readonly string[], connection: net.Socket) => void,
  ): Promise<ScriptedLauncher> {
    const server = net.createServer();
    const launcher = new ScriptedLauncher(
      path.join(createTemporaryDirectory(owner), 'launcher.sock'),
      server,
    );
    server.on('connection', (connection) => launcher.#serve(connection, onRequest));
    server.listen(launcher.socket);
    await once(server, 'listening');
    owner.after(() => {
      for (const connection of launcher.connections) connection.destroy();
      server.close();
    });
    return launcher;
  }

  /** Resolves when a line has come after a request. */
  async awaitLater(line: string): Promise<void> {
    while (!this.later.includes(line)) await once(this.#server, 'later');
  }

  #serve(
    connection: net.Socket,
    onRequest: (lines: readonly string[], connection: net.Socket) => void,
  ): void {
    this.connections.push(connection);
    let text = '';
    let isAnswered = false;
    connection.on('error', () => undefined);
    connection.on('data', (chunk) => {
      text += chunk.toString();
      for (;;) {
        const marker = isAnswered ? '\n' : '\nend\n';
        const end = text.indexOf(marker);
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + marker.length);
        if (isAnswered) {
          this.later.push(part);
          this.#server.emit('later');
          continue;
        }
        isAnswered = true;
        this.requests.push(part.split('\n'));
        onRequest(part.split('\n'), connection);
      }
    });
  }
}

/** Connects to the link that a request names, as the bundle does. */
export function connectLink(lines: readonly string[]): net.Socket {
  const link = lines.find((line) => line.startsWith('link '))?.slice('link '.length) ?? '';
  const socket = net.connect(link);
  socket.on('error', () => undefined);
  // The end of a connection shows only to one who reads.
  return socket.resume();
}
