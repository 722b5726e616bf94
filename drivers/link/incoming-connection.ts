import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { ByteLinkEvents, Undelivered } from './byte-link.ts';

/** A connection that a device opened to the gateway. */
export interface IncomingConnection {
  /** IP address of the device; IPv4 in its own form. */
  readonly address: string;
  /** Replaces the receiver of bytes and of the end. */
  receive(events: ByteLinkEvents): void;
  send(bytes: Uint8Array): void;
  /** See `ByteLink`. */
  close(undelivered?: Undelivered): void;
}

/** An open port. */
export interface OpenPort {
  /** Closes the port; accepted connections stay open. */
  close(): void;
}

/**
 * Opens a port for devices.
 *
 * @throws the error of the system
 */
export type ListenForDevices = (
  port: number,
  onConnection: (connection: IncomingConnection) => void,
) => Promise<OpenPort>;

// As for connections of the gateway; see open-socket.ts.
const KEEP_ALIVE_DELAY_MS = 15_000;

/** Opens a TCP port on all addresses of the machine. */
export const listenOnPort: ListenForDevices = (port, onConnection) => {
  const server = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS },
    (socket) => onConnection(toConnection(socket)),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      server.off('error', reject);
      // Accepting may fail later, for lack of descriptors; the port stays open.
      server.on('error', () => undefined);
      resolve({ close: () => void server.close() });
    });
  });
};

function toConnection(socket: Socket): IncomingConnection {
  let events: ByteLinkEvents | undefined;
  let cause: NodeJS.ErrnoException | undefined;
  socket.on('error', (error) => {
    cause = error;
  });
  socket.on('data', (bytes: Buffer) => events?.onChunk(bytes));
  socket.once('close', () => {
    const reason = cause?.code ?? 'closed by the far end';
    events?.onClose(new Error(reason, { cause }));
  });
  return {
    address: (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    receive: (next) => {
      events = next;
    },
    send: (bytes) => void socket.write(bytes),
    close: (undelivered) => {
      events = undefined;
      if (undelivered === 'TAKEN_BACK') socket.resetAndDestroy();
      else socket.destroy();
    },
  };
}
