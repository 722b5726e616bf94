import { chmod, rm } from 'node:fs/promises';
import net from 'node:net';
import type { Duplex } from 'node:stream';

/** A socket that accepts one connection, from a process of any user that can see it. */
export class LinkSocket {
  readonly file: string;
  /** The first connection; others are closed. */
  readonly accepted: Promise<Duplex>;
  readonly #server: net.Server;

  private constructor(file: string, server: net.Server) {
    this.file = file;
    this.#server = server;
    this.accepted = new Promise((resolve) => {
      server.once('connection', (link) => {
        server.on('connection', (other) => other.destroy());
        resolve(link);
      });
    });
  }

  /** Listens at a path; what is there is removed. */
  static async open(file: string): Promise<LinkSocket> {
    await rm(file, { force: true });
    const server = net.createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(file, resolve);
    });
    // The user of the bundle is not known yet; the directory admits only the gateway, and the unit sees this file alone.
    await chmod(file, 0o666);
    return new LinkSocket(file, server);
  }

  /** Ends listening; the accepted connection stays. */
  async close(): Promise<void> {
    this.#server.close();
    await rm(this.file, { force: true });
  }
}
