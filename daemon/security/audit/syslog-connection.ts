import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

import type { Clock } from '../../base/clock.ts';

/** A syslog server over TLS (RFC 5425), and how the gateway and it prove who they are. */
export interface SyslogServer {
  /** Name or address; its certificate has to name it. */
  readonly host: string;
  readonly port: number;
  /** PEM; absent: the authorities of the system. */
  readonly certificateAuthorities?: string | undefined;
  /** PEM, of the gateway; absent: it has none. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

// A server that takes longer does not read.
const TAKING_TIMEOUT_MS = 30_000;

/**
 * Sends bytes over a connection of their own.
 *
 * @returns resolves when the server has closed the connection after it was told that all was sent: what syslog has instead of
 *   an answer
 * @throws when it cannot be reached, its certificate is not to be trusted, or it has not taken the bytes in time
 */
export function sendToSyslog(
  server: SyslogServer,
  bytes: Buffer,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const { host, port, certificateAuthorities, certificate, privateKey } = server;
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: toReportingStream(connectTcp({ host, port, allowHalfOpen: true })),
      host,
      // An address is no server name (RFC 6066, 3).
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
      ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
      // RFC 9325, 3.1.1.
      minVersion: 'TLSv1.2',
    });
    let isAnswered = false;
    const onAbort = (): void => void socket.destroy(new Error('the gateway is stopping'));
    signal.addEventListener('abort', onAbort);
    const cancelTimeout = clock.schedule(TAKING_TIMEOUT_MS, () =>
      socket.destroy(new Error(`the server did not accept the events within ${TAKING_TIMEOUT_MS} ms`)),
    );
    socket.on('secureConnect', () => socket.end(bytes));
    // What it sends is of no use; without reading, its end would not be seen.
    socket.resume();
    socket.on('end', () => {
      // All bytes and the closing alert are out; that the last of them failed may still follow.
      isAnswered = socket.writableEnded && socket.writableLength === 0;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      cancelTimeout();
      signal.removeEventListener('abort', onAbort);
      if (isAnswered && socket.writableFinished) resolve();
      else reject(new Error('the server closed the connection before it had received all events'));
    });
  });
}

/**
 * A socket whose every failed write is told to TLS: straight on a socket, Node.js keeps silent on a failure of its closing alert, and
 * a reset then looks like the end that a server sends after it has taken all.
 */
function toReportingStream(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk) => {
    if (!stream.push(chunk)) socket.pause();
  });
  socket.on('end', () => stream.push(null));
  socket.on('error', (error) => stream.destroy(error));
  return stream;
}
