import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, STATUS_CODES } from 'node:http';
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';

import { MAXIMUM_CONNECTIONS } from './connection-table.ts';
import { toSecureContextOptions } from './listener-tls.ts';
import type { ListenerTls } from './listener-tls.ts';
import { sendAnswer } from '../answer.ts';
import { report } from '../problem.ts';

/** Kinds of ports, and the local socket. */
export type ListenerKind = 'http' | 'https' | 'https-client-auth' | 'local';

interface ServerOptions {
  readonly kind: ListenerKind;
  readonly tls: ListenerTls | undefined;
  readonly sessionIdContext: string;
  /** Maximum time of a handshake; default: 10 s. */
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
// The connection table decides which connection is closed; this margin covers those that are still closing.
const CLOSING_CONNECTIONS = 64;

/** Creates the server of a port with its limits; does not listen yet. */
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

/** Answers an invalid or slow HTTP request with a GenericFailureReport and closes the connection. */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = describeError(error.code);
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function describeError(code: string | undefined): readonly [status: number, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the headers are too large'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request arrived too slowly'];
  return [400, 'not a valid HTTP/1.1 request'];
}

/** Answers an expectation other than 100-continue (RFC 9110, 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  sendAnswer(response, report(417, 'the Expect header cannot be met', { Connection: 'close' }));
}
