import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { ListenOptions } from 'node:net';

import type { Clock } from '../../../daemon/base/clock.ts';
import { ClientSocket } from './client-socket.ts';
import { Flow } from './flow.ts';
import type { FlowTarget } from './flow.ts';
import { RequestDeadline } from './request-deadline.ts';
import { ServerSocket } from './server-socket.ts';

// The first of the dynamic ports (RFC 6335, 6).
const FIRST_DYNAMIC_PORT = 49_152;

export interface ConnectOptions {
  /** A port, or the path of a socket on the machine. */
  readonly to: number | string;
  /** The address from which the gateway sees the client. */
  readonly address: string;
  /** Presented in the handshake. */
  readonly certificate?: X509Certificate | undefined;
  readonly toServerMs?: number;
  readonly toClientMs?: number;
}

interface OpenPort {
  readonly server: Server;
  readonly position: number | string;
  readonly connections: Map<ServerSocket, RequestDeadline>;
}

/** What the client's end of a connection leads to. */
interface ServerEnd extends FlowTarget {
  noteRoom(): void;
}

/** Both directions of a connection. */
interface Ways {
  readonly toClient: Flow;
  readonly fromClient: Flow;
  readonly onGone: () => void;
}

/** The ports of one simulated machine: servers listen on them, and clients connect, without sockets. */
export class SimulatedPorts {
  readonly #time: Clock;
  readonly #open = new Map<number | string, OpenPort>();
  readonly #portOf = new Map<ServerSocket, OpenPort>();
  #nextPort = FIRST_DYNAMIC_PORT;

  constructor(time: Clock) {
    this.#time = time;
  }

  /** The number of connections that are open on the gateway's side. */
  get connections(): number {
    return this.#portOf.size;
  }

  /** Returns whether a server listens there. */
  isOpen(position: number | string): boolean {
    return this.#open.has(position);
  }

  /**
   * Lets a server listen; it can be closed like any other.
   *
   * @throws `EADDRINUSE` when another one listens there
   */
  listen = (server: Server, where: ListenOptions): Promise<void> => {
    const position = where.path ?? (where.port === 0 ? this.#choosePort() : (where.port ?? 0));
    if (this.#open.has(position)) {
      const text = `listen EADDRINUSE: address already in use ${position}`;
      return Promise.reject(Object.assign(new Error(text), { code: 'EADDRINUSE', syscall: 'listen' }));
    }
    const port: OpenPort = { server, position, connections: new Map() };
    this.#open.set(position, port);
    this.#prepare(port, where.host);
    return Promise.resolve();
  };

  /** Connects a client; when nobody listens, the connection ends with `REFUSED`. */
  connect(options: ConnectOptions): ClientSocket {
    const { toServerMs = 0, toClientMs = 0 } = options;
    const time = this.#time;
    let server: ServerEnd | undefined;
    const toServer: Flow = new Flow({
      time,
      latencyMs: toServerMs,
      target: {
        receive: (chunk) => server?.receive(chunk),
        receiveEnd: () => server?.receiveEnd(),
        receiveReset: () => server?.receiveReset(),
      },
      onRoom: () => {},
    });
    const { address } = options;
    const client = new ClientSocket({ address, toServer: () => toServer, fromServer: () => toClient });
    const onRoom = (): void => server?.noteRoom();
    const toClient: Flow = new Flow({ time, latencyMs: toClientMs, target: client, onRoom });
    // A client may hold on to a connection that has ended, and must not hold the gateway that has.
    const onGone = (): void => {
      server = { receive: () => toClient.reset(), receiveEnd() {}, receiveReset() {}, noteRoom() {} };
    };
    const accept = (): void => {
      const accepted = this.#accept(options, { toClient, fromClient: toServer, onGone });
      if (accepted === undefined) client.refuse();
      else server ??= accepted;
    };
    if (toServerMs > 0) time.schedule(toServerMs, accept);
    else process.nextTick(accept);
    return client;
  }

  /** Ends everything as the death of the process does: no code of the gateway hears of it. */
  cut(): void {
    this.#open.clear();
    for (const [socket, { connections }] of this.#portOf) {
      connections.get(socket)?.stop();
      socket.cut();
    }
    this.#portOf.clear();
  }

  #choosePort(): number {
    this.#nextPort = this.#nextPort === 65_535 ? FIRST_DYNAMIC_PORT : this.#nextPort + 1;
    return this.#nextPort;
  }

  // A server that does not listen by itself keeps no list of its connections; the ports do.
  #prepare(port: OpenPort, host: string | undefined): void {
    const { server, connections, position } = port;
    const close = (): void => void this.#open.delete(position);
    const getsockname = (out: object): number => {
      Object.assign(out, { address: host ?? '::', family: 'IPv6', port: position });
      return 0;
    };
    const handle = typeof position === 'number' ? { close, getsockname } : { close };
    Object.assign(server, {
      _handle: handle,
      closeIdleConnections: () => {
        for (const [socket, deadline] of connections) {
          if (deadline.isIdle && !isAnswering(socket)) socket.destroy();
        }
      },
      closeAllConnections: () => {
        for (const socket of connections.keys()) socket.destroy();
      },
    });
    const noteHead = (request: IncomingMessage): void => {
      connections.get(request.socket as unknown as ServerSocket)?.noteHead(request);
    };
    server.prependListener('request', noteHead);
    server.prependListener('checkExpectation', noteHead);
    if (isEncrypting(server)) stopHandshakes(server);
  }

  #accept(options: ConnectOptions, { toClient, fromClient, onGone }: Ways): ServerSocket | undefined {
    const { to, address, certificate } = options;
    const port = this.#open.get(to);
    if (port === undefined) return undefined;
    const { server, connections } = port;
    const isEncrypted = isEncrypting(server);
    const socket: ServerSocket = new ServerSocket({
      time: this.#time,
      remoteAddress: address,
      remotePort: this.#choosePort(),
      localPort: typeof to === 'number' ? to : 0,
      isEncrypted,
      certificate,
      toClient,
      fromClient,
      onClose: () => this.#forget(socket),
      onGone,
    });
    const deadline = new RequestDeadline({ time: this.#time, server, socket });
    connections.set(socket, deadline);
    this.#portOf.set(socket, port);
    countConnection(server, 1);
    // From now on bytes are parsed as they arrive, the first ones as well.
    socket.read(0);
    socket.watch({ begin: () => deadline.noteBytes(), end: () => deadline.noteParsed() });
    server.emit('connection', socket);
    if (!isEncrypted || socket.destroyed) return socket;
    if (asksForCertificate(server) && !socket.authorized) socket.destroy();
    else server.emit('secureConnection', socket);
    return socket;
  }

  #forget(socket: ServerSocket): void {
    const port = this.#portOf.get(socket);
    if (port === undefined) return;
    this.#portOf.delete(socket);
    port.connections.get(socket)?.stop();
    port.connections.delete(socket);
    countConnection(port.server, -1);
  }
}

function isEncrypting(server: Server): boolean {
  return server instanceof HttpsServer;
}

/** Nothing is encrypted: the connection of a client is taken as one whose handshake is over. */
function stopHandshakes(server: Server): void {
  const handshake = server.listeners('connection').find(({ name }) => name === 'tlsConnectionListener');
  if (handshake === undefined) throw new Error('the runtime begins handshakes in another way');
  server.off('connection', handshake as () => void);
}

function asksForCertificate(server: Server): boolean {
  return Reflect.get(server, 'requestCert') === true;
}

function isAnswering(socket: ServerSocket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return typeof response === 'object' && response !== null && Reflect.get(response, 'finished') !== true;
}

/** Tells the server what it would count itself: it is closed when its last connection is. */
function countConnection(server: Server, change: 1 | -1): void {
  const counted = server as Server & { _connections: number; _emitCloseIfDrained(): void };
  counted._connections += change;
  if (change < 0) counted._emitCloseIfDrained();
}
