import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

import type { Clock } from '../../base/clock.ts';

/** A syslog server over TLS (RFC 5425) with the credentials of both sides. */
export interface SyslogServer {
  /** Name or address; the server certificate must contain it. */
  readonly host: string;
  readonly port: number;
  /** PEM; absent: the system's certificate authorities. */
  readonly certificateAuthorities?: string | undefined;
  /** Client certificate of the gateway, PEM; absent: none. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

// A slower server is considered stuck.
const TAKING_TIMEOUT_MS = 30_000;

/**
 * Sends bytes over a new connection.
 *
 * @returns resolves when the server has closed the connection after the end of the data; syslog has no other acknowledgement
 * @throws if the server is unreachable or untrusted, or does not accept the bytes in time
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
    // Received data is discarded; without reading, the end of the stream would not be detected.
    socket.resume();
    socket.on('end', () => {
      // All bytes and the closing alert have been written; an error of the last write can still follow.
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
 * Wraps a socket so that TLS receives every write error. On a plain socket, Node.js hides a failed closing alert, and a reset then
 * looks like the regular close of a server that has accepted all data.
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
