import { chmod } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';

/** Listening address: host and port, the path of a Unix socket, or a socket that is already listening. */
export type ListenPosition = ListenOptions & {
  readonly fd?: number;
  /** Permission bits of a Unix socket. */
  readonly mode?: number | undefined;
};

/**
 * Starts listening: the server then emits `connection`, or `secureConnection` after the TLS handshake.
 *
 * @throws on failure; the server can then be passed to another call
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
