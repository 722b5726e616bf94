import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server as HttpsServer } from 'node:https';

import { MAXIMUM_CONNECTIONS } from './connection-table.ts';
import { toSecureContextOptions } from './listener-tls.ts';
import type { ListenerTls } from './listener-tls.ts';

/** Kinds of ports, and the socket on the machine itself. */
export type ListenerKind = 'http' | 'https' | 'https-client-auth' | 'local';

interface ServerOptions {
  readonly kind: ListenerKind;
  readonly tls: ListenerTls | undefined;
  readonly sessionIdContext: string;
  /** Maximum time of a handshake; 10 s unless given. */
  readonly handshakeTimeoutMs: number | undefined;
}

// A slower client only occupies a connection.
const HANDSHAKE_TIMEOUT_MS = 10_000;
const TICKET_KEY_BYTES = 48;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECKING_INTERVAL_MS = 1000;
// A full handshake costs a hundred times what a request does, so pollers keep their connections.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAXIMUM_HEADER_BYTES = 16_384;
// The table decides which connection is closed; this margin covers those that are still closing.
const CLOSING_CONNECTIONS = 64;

/** Creates the server of a port with its limits; it does not listen yet. */
export function createListenerServer(options: ServerOptions): HttpServer | HttpsServer {
  const { kind, tls, sessionIdContext, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options;
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    noDelay: true,
    // A missing Host is refused by the pipeline, in the form that every refusal has.
    requireHostHeader: false,
  };
  const server =
    kind === 'http' || kind === 'local'
      ? createHttpServer(limits)
      : createHttpsServer({
          ...limits,
          ...toSecureContextOptions(tls),
          ticketKeys: createTicketKeys(),
          sessionIdContext,
          handshakeTimeout: handshakeTimeoutMs,
          requestCert: kind === 'https-client-auth',
          rejectUnauthorized: kind === 'https-client-auth',
        });
  server.maxConnections = MAXIMUM_CONNECTIONS + CLOSING_CONNECTIONS;
  return server;
}

/** Creates keys for the session tickets of one port: no port resumes a session of another. */
export function createTicketKeys(): Buffer {
  return randomBytes(TICKET_KEY_BYTES);
}

/** Creates 32 characters, the most that a session has room for (SSL_CTX_set_session_id_context(3)). */
export function createSessionIdContext(): string {
  return randomBytes(16).toString('hex');
}
