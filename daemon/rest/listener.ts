import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';

import { GatewayError } from '../base/errors.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Application } from './application.ts';
import { refuseBrokenRequest, refuseExpectation } from './broken-request.ts';

/** A listener could not be opened. */
export class ListenerError extends GatewayError {}

export type ListenerKind = 'http' | 'https' | 'https-client-auth';

/** What a listener proves itself with, and whom it trusts; PEM. */
export interface ListenerTls {
  readonly certificate: string;
  readonly privateKey: string;
  /** Authorities whose client certificates are accepted; needed for `https-client-auth`. */
  readonly clientCertificateAuthorities: readonly string[];
  /** Empty: nothing is known to be revoked. */
  readonly certificateRevocationLists: readonly string[];
}

export interface ListenerOptions {
  readonly kind: ListenerKind;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Needed for both kinds of HTTPS. */
  readonly tls?: ListenerTls | undefined;
  readonly application: Application;
  /** Requests that still run so long after `stop` are cut off. */
  readonly drainMs: number;
}

// A client that is slower holds a connection to no purpose.
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECKING_INTERVAL_MS = 1000;
// A full handshake costs a hundred times what a request does, so pollers keep their connections.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAXIMUM_HEADER_BYTES = 16_384;
const MAXIMUM_CONNECTIONS = 1024;

// ECDHE with AEAD only, as RFC 9325, 4.2 recommends for TLS 1.2; TLS 1.3 has nothing else.
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** One open port: accepts connections, cuts off clients that are too slow, and hands requests to the application. */
export class Listener implements Startable {
  readonly kind: ListenerKind;
  readonly #options: ListenerOptions;
  #server: HttpServer | HttpsServer | undefined;
  #port: number;
  #stopped: Promise<void> | undefined;
  readonly #answering = new Set<ServerResponse>();

  constructor(options: ListenerOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#port = options.port;
  }

  /** The port that is open; the configured one before `start`. */
  get port(): number {
    return this.#port;
  }

  /** @throws {ListenerError} `PORT_IN_USE`, `PORT_FORBIDDEN`, `PORT_UNAVAILABLE` */
  async start(): Promise<void> {
    const server = this.#createServer();
    this.#server = server;
    const { host, port } = this.#options;
    try {
      await listen(server, host, port);
    } catch (error) {
      // A machine without IPv6 has no address "::"; every address is then every IPv4 address.
      if (host !== '::' || (error as { code?: unknown }).code !== 'EAFNOSUPPORT')
        throw toListenerError(error, port);
      await listen(server, '0.0.0.0', port).catch((second: unknown) => {
        throw toListenerError(second, port);
      });
    }
    this.#port = (server.address() as AddressInfo).port;
  }

  /**
   * Uses other certificates for new handshakes; open connections live on.
   *
   * @throws when they cannot be used; the former ones stay in force
   */
  replaceTls(tls: ListenerTls): void {
    // Whatever is not given again falls back to a default, the protocol floor included.
    if (this.#server instanceof HttpsServer) this.#server.setSecureContext(secureContextOptions(tls));
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#stopped ??= this.#drain(server);
    await this.#stopped;
  }

  async #drain(server: HttpServer | HttpsServer): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    for (const response of this.#answering) announceClose(response);
    const cutOff = setTimeout(() => server.closeAllConnections(), this.#options.drainMs);
    await closed;
    clearTimeout(cutOff);
  }

  #createServer(): HttpServer | HttpsServer {
    const { kind, tls } = this.#options;
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
      kind === 'http'
        ? createHttpServer(limits)
        : createHttpsServer({
            ...limits,
            ...secureContextOptions(tls),
            handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
            requestCert: kind === 'https-client-auth',
            rejectUnauthorized: kind === 'https-client-auth',
          });
    server.maxConnections = MAXIMUM_CONNECTIONS;
    server.on('request', (request, response) => this.#onRequest(request, response));
    server.on('clientError', (error, socket) => {
      // In the middle of an answer a refusal would be taken for a part of it.
      const isAnswering = [...this.#answering].some(
        (response) => response.headersSent && response.socket === socket,
      );
      if (isAnswering) socket.destroy();
      else refuseBrokenRequest(error, socket);
    });
    server.on('checkExpectation', refuseExpectation);
    return server;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#stopped !== undefined) announceClose(response);
    this.#answering.add(response);
    response.once('close', () => this.#answering.delete(response));
    this.#options.application(request, response, { port: this.#port, isTls: this.kind !== 'http' });
  }
}

/** Ends the connection with the answer, where it has not begun yet. */
function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function secureContextOptions(tls: ListenerTls | undefined): SecureContextOptions {
  if (tls === undefined) throw new RangeError('an HTTPS listener needs a certificate');
  const { certificate, privateKey, clientCertificateAuthorities, certificateRevocationLists } = tls;
  return {
    cert: certificate,
    key: privateKey,
    // An empty list, unlike none, trusts nobody: not even the authorities that come with the runtime.
    ca: [...clientCertificateAuthorities],
    ...(certificateRevocationLists.length === 0 ? {} : { crl: [...certificateRevocationLists] }),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: true,
  };
}

function listen(server: HttpServer | HttpsServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function toListenerError(cause: unknown, port: number): ListenerError {
  switch ((cause as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return new ListenerError({
        code: 'PORT_IN_USE',
        detail: `port ${port} is in use by another program`,
        cause,
      });
    case 'EACCES':
      return new ListenerError({
        code: 'PORT_FORBIDDEN',
        detail: `port ${port} may not be opened by this user`,
        cause,
      });
    default:
      return new ListenerError({ code: 'PORT_UNAVAILABLE', detail: `port ${port} cannot be opened`, cause });
  }
}
