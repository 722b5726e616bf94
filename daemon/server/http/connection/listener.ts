import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { TLSSocket } from 'node:tls';

import { describeBindFailure } from '../../../base/network/bind-failure.ts';
import { systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { Startable } from '../../../base/lifecycle.ts';
import { listenOnMachine } from '../../../base/network/listen.ts';
import type { Listen, ListenPosition } from '../../../base/network/listen.ts';
import type { Application } from '../application.ts';
import { PeerCertificate } from './client-certificate.ts';
import type { ConnectionContext } from './connection-context.ts';
import { STALL_LIMIT_MS } from './connection.ts';
import type { Connection } from './connection.ts';
import type { ConnectionTable } from './connection-table.ts';
import {
  createListenerServer,
  createSessionIdContext,
  createTicketKeys,
  refuseBrokenRequest,
  refuseExpectation,
} from './listener-server.ts';
import type { ListenerKind } from './listener-server.ts';
import { toSecureContextOptions } from './listener-tls.ts';
import type { ListenerTls } from './listener-tls.ts';
import { explainRefusal } from './refused-certificate.ts';
import type { RefusedCertificate } from './refused-certificate.ts';

export type { ListenerTls } from './listener-tls.ts';

/** A listener could not be opened. */
export class ListenerError extends GatewayError {}

export interface ListenerOptions {
  readonly kind: ListenerKind;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Path of the Unix socket, for the kind `local`, and its permission bits. */
  readonly path?: string | undefined;
  readonly mode?: number | undefined;
  /** A socket that already listens on the port; it is used instead of a new one, and stays open for its owner. */
  readonly descriptor?: number | undefined;
  /** True: starts parked, closing each connection at once. */
  readonly isParked?: boolean;
  /** Needed for both kinds of HTTPS. */
  readonly tls?: ListenerTls | undefined;
  readonly application: Application;
  /** Limits the connections of all ports. */
  readonly connections: ConnectionTable;
  /** Maximum time that requests may run after `stop`. */
  readonly drainMs: number;
  /** Maximum time of a handshake; default: 10 s. */
  readonly handshakeTimeoutMs?: number;
  /** Maximum time in which a client reads nothing of its response; default: 30 s. */
  readonly stallTimeoutMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: the ports of the host. */
  readonly listen?: Listen | undefined;
  readonly onRefusedCertificate?: (refused: RefusedCertificate) => void;
}

/**
 * A socket that the table has admitted, or that of TLS which runs on it. What the socket itself holds costs the collector of garbage
 * nothing, unlike an entry of a `WeakMap`.
 */
interface ServedSocket extends Socket {
  [CONNECTION]?: Connection;
}

/** A socket of TLS. */
interface SecureSocket extends TLSSocket {
  // The socket that TLS runs on (lib/internal/tls/wrap.js). No documentation names it, so that a release of Node.js may lack it.
  readonly _parent?: Socket | null;
  /** Client certificate presented in the handshake. */
  [SHOWN_CERTIFICATE]?: X509Certificate | undefined;
}

/** When and how a connection was accepted. */
interface Acceptance {
  readonly timeMs: number;
  /** TLS settings of its handshake. */
  readonly tls: ListenerTls | undefined;
}

/** A client that has just connected has this time to send its request when the port closes: also a handshake takes a while. */
const FIRST_REQUEST_MS = 2000;

const CONNECTION = Symbol('connection');
const SHOWN_CERTIFICATE = Symbol('shown certificate');

/** Open port: accepts connections, disconnects slow clients and passes requests to the application. */
export class Listener implements Startable {
  readonly kind: ListenerKind;
  readonly #options: ListenerOptions;
  #server: HttpServer | HttpsServer | undefined;
  #port: number;
  #tls: ListenerTls | undefined;
  #stopped: Promise<void> | undefined;
  #isParked: boolean;
  readonly #open = new Map<Connection, Acceptance>();
  readonly #closing = new AbortController();

  constructor(options: ListenerOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#port = options.port;
    this.#tls = options.tls;
    this.#isParked = options.isParked === true;
  }

  /** The port that is open; the configured one before `start`. */
  get port(): number {
    return this.#port;
  }

  get isParked(): boolean {
    return this.#isParked;
  }

  /**
   * Stops or starts serving new connections without closing the port: a port that the service manager opened stays open, and
   * clients must not wait there for a response that never comes.
   */
  set isParked(isParked: boolean) {
    this.#isParked = isParked;
  }

  /** @throws {ListenerError} `PORT_IN_USE`, `PORT_FORBIDDEN`, `PORT_UNAVAILABLE` */
  async start(): Promise<void> {
    const server = this.#createServer();
    this.#server = server;
    const { host, port, listen = listenOnMachine } = this.#options;
    try {
      await listen(server, this.#findPosition());
    } catch (error) {
      // A machine without IPv6 has no address "::"; every address is then every IPv4 address.
      if (host !== '::' || (error as { code?: unknown }).code !== 'EAFNOSUPPORT')
        throw toListenerError(error, host, port);
      await listen(server, { host: '0.0.0.0', port }).catch((second: unknown) => {
        throw toListenerError(second, host, port);
      });
    }
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  #findPosition(): ListenPosition {
    const { host, port, path, mode, descriptor } = this.#options;
    if (path !== undefined) return { path, mode };
    return descriptor === undefined ? { host, port } : { fd: descriptor };
  }

  /**
   * Uses other certificates for new handshakes. Open connections stay open; earlier sessions are not resumed.
   *
   * @throws if they cannot be used; the previous ones stay active
   */
  replaceTls(tls: ListenerTls): void {
    if (!(this.#server instanceof HttpsServer)) return;
    const options = { ...toSecureContextOptions(tls), sessionIdContext: createSessionIdContext() };
    // Throws before anything has changed.
    createSecureContext(options);
    this.#tls = tls;
    // A setting that is left out falls back to a default, the minimum protocol version included.
    this.#server.setSecureContext(options);
    this.rotateTicketKeys();
  }

  /** Replaces the keys for session tickets: a ticket under the previous keys leads to a full handshake. */
  rotateTicketKeys(): void {
    if (this.#server instanceof HttpsServer) this.#server.setTicketKeys(createTicketKeys());
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
    this.#closing.abort();
    const { clock = systemClock, drainMs } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const [connection, { timeMs }] of this.#open) {
      if (connection.response !== undefined) announceClose(connection.response);
      // The server takes a connection for idle only after its first request.
      else connection.destroyUnused(clock, timeMs + FIRST_REQUEST_MS - nowMs);
    }
    const cancelCutOff = clock.schedule(drainMs, () => server.closeAllConnections());
    await closed;
    cancelCutOff();
  }

  #createServer(): HttpServer | HttpsServer {
    const { kind, tls, handshakeTimeoutMs } = this.#options;
    // Part of every session: none is resumed that was verified against other authorities and lists.
    const sessionIdContext = createSessionIdContext();
    const server = createListenerServer({ kind, tls, sessionIdContext, handshakeTimeoutMs });
    server.prependListener('connection', (socket: Socket) => this.#onConnection(socket));
    // After the listener of the server itself, which takes the bytes from the handle if the socket has no listeners.
    server.on(kind === 'http' || kind === 'local' ? 'connection' : 'secureConnection', watchRequestLines);
    server.on('request', (request, response) => {
      const isLineMalformed = connectionOf(request.socket)?.requestLines.isWellFormed(request) === false;
      this.#serve(request, response, (connection) => {
        this.#onRequest(request, response, { connection, isLineMalformed });
      });
    });
    server.timeout = this.#options.stallTimeoutMs ?? STALL_LIMIT_MS;
    server.on('timeout', (socket: Socket) => {
      const connection = connectionOf(socket);
      // An operation may take longer: only a client that requests nothing, or reads nothing, is disconnected.
      if (connection === undefined || connection.isIdle || socket.writableLength > 0) socket.destroy();
    });
    server.on('clientError', (error, socket) => {
      const { isAnswering = false, hasOwnTime = false } = connectionOf(socket as Socket) ?? {};
      if (hasOwnTime && (error as { code?: unknown }).code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
      // In the middle of an answer the client would take a refusal for a part of it.
      if (isAnswering) socket.destroy();
      else refuseBrokenRequest(error, socket);
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response, () => refuseExpectation(request, response));
    });
    // Before the server raises it as a client error: without a handshake no HTTP response can be sent, and waiting for one
    // would keep the connection open.
    server.prependListener('tlsClientError', (_error: Error, socket: SecureSocket) => {
      this.#reportRefusal(socket);
      socket.destroy();
    });
    if (kind === 'https-client-auth')
      server.on('keylog', (_line, socket: SecureSocket) => watchCertificate(socket));
    server.prependListener('secureConnection', (socket: SecureSocket) => this.#onSecureConnection(socket));
    return server;
  }

  #onConnection(socket: Socket): void {
    const connection = this.#isParked ? undefined : this.#options.connections.admit(socket);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    (socket as ServedSocket)[CONNECTION] = connection;
    const { clock = systemClock } = this.#options;
    this.#open.set(connection, { timeMs: clock.monotonicMs(), tls: this.#tls });
    socket.on('close', () => this.#open.delete(connection));
  }

  #onSecureConnection(socket: SecureSocket): void {
    const connection = socket._parent ? connectionOf(socket._parent) : this.#findByAddresses(socket);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    (socket as ServedSocket)[CONNECTION] = connection;
    if (this.kind !== 'https-client-auth') return;
    const trust = {
      present: () => this.#tls?.clientTrust,
      atHandshake: this.#open.get(connection)?.tls?.clientTrust,
    };
    connection.noteVerified(new PeerCertificate(socket, trust));
    // It is verified: there is no refusal to explain.
    socket[SHOWN_CERTIFICATE] = undefined;
  }

  // Costs four questions to the kernel for each handshake.
  #findByAddresses({ remotePort, remoteAddress, localPort, localAddress }: Socket): Connection | undefined {
    return [...this.#open.keys()].find(
      ({ socket }) =>
        socket.remotePort === remotePort &&
        socket.remoteAddress === remoteAddress &&
        socket.localPort === localPort &&
        socket.localAddress === localAddress,
    );
  }

  #reportRefusal(socket: SecureSocket): void {
    // Declared as an Error, but it is the code of the verification.
    const reason: unknown = socket.authorizationError;
    if (typeof reason !== 'string') return;
    const certificate = socket[SHOWN_CERTIFICATE];
    const isIssuerTrusted =
      certificate !== undefined && this.#tls?.clientTrust?.hasIssuerOf(certificate) === true;
    const { remoteAddress } = socket;
    const explained = explainRefusal(reason, certificate, isIssuerTrusted);
    this.#options.onRefusedCertificate?.({ port: this.#port, remoteAddress, ...explained });
  }

  #serve(request: IncomingMessage, response: ServerResponse, begin: (connection: Connection) => void): void {
    const connection = connectionOf(request.socket);
    if (connection === undefined) request.socket.destroy();
    else connection.serve({ response, begin: () => begin(connection) });
  }

  #onRequest(
    request: IncomingMessage,
    response: ServerResponse,
    received: Pick<ConnectionContext, 'connection' | 'isLineMalformed'>,
  ): void {
    if (this.#stopped !== undefined) announceClose(response);
    const { signal: closing } = this.#closing;
    const { kind } = this;
    const isLocal = kind === 'local';
    const context = { port: this.#port, isTls: kind !== 'http' && !isLocal, isLocal, closing, ...received };
    this.#options.application(request, response, context);
  }
}

function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ServedSocket)[CONNECTION];
}

function watchRequestLines(socket: Socket): void {
  const lines = connectionOf(socket)?.requestLines;
  if (lines !== undefined) socket.prependListener('data', (bytes: Buffer) => lines.note(bytes));
}

// No other event has the socket before the handshake ends; one that fails leaves nothing of the certificate.
function watchCertificate(socket: SecureSocket): void {
  // The first line identifies the socket; its keys must not be used.
  socket.removeAllListeners('keylog');
  socket.prependListener('secure', () => {
    socket[SHOWN_CERTIFICATE] = socket.getPeerX509Certificate();
  });
}

/** Closes the connection with the response, if that has not begun yet. */
function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function toListenerError(cause: unknown, host: string, port: number): ListenerError {
  const { code, text } = describeBindFailure({ host, port }, cause);
  return new ListenerError({ code, detail: text, cause });
}
