import { isIP } from 'node:net';
import { connect } from 'node:tls';

import type { Clock } from '../base/clock.ts';

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
    const socket = connect({
      host,
      port,
      // An address is no server name (RFC 6066, 3).
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
      ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
      // RFC 9325, 3.1.1.
      minVersion: 'TLSv1.2',
    });
    let isTaken = false;
    const onAbort = (): void => void socket.destroy(new Error('the gateway stops'));
    signal.addEventListener('abort', onAbort);
    const cancelTimeout = clock.schedule(TAKING_TIMEOUT_MS, () =>
      socket.destroy(new Error(`the server has not taken the events within ${TAKING_TIMEOUT_MS} ms`)),
    );
    socket.on('secureConnect', () => socket.end(bytes));
    // What it sends is of no use; without reading, its end would not be seen.
    socket.resume();
    socket.on('end', () => {
      isTaken = socket.writableFinished;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      cancelTimeout();
      signal.removeEventListener('abort', onAbort);
      if (isTaken) resolve();
      else reject(new Error('the server has closed the connection before it had all events'));
    });
  });
}
