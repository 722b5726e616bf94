import { chmod } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';

/** Where a server listens: an address, the path of a Unix socket, or a socket that listens already. */
export type ListenPosition = ListenOptions & {
  readonly fd?: number;
  /** Permission bits of a Unix socket. */
  readonly mode?: number | undefined;
};

/**
 * Makes connections reach a server: from now on it emits `connection`, or `secureConnection` when TLS has been agreed on.
 *
 * @throws when that is not possible; the server can be given to another call then
 */
export type Listen = (server: Server, position: ListenPosition) => Promise<void>;

/** Opens the port or socket on the machine. */
export const listenOnMachine: Listen = async (server, { mode, ...where }) => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (mode !== undefined && where.path !== undefined) await chmod(where.path, mode);
};
