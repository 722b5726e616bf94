import type { ServerResponse, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../../../base/clock.ts';
import type { ByteBudget, Reservation } from '../../../base/sharing/byte-budget.ts';
import type { ClientCertificate, PeerCertificate } from './client-certificate.ts';

// Maximum accepted head: a request line that begins earlier has been refused.
const KEPT_BYTES = 16_384;
const EMPTY: Buffer = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
const EMPTY_LINE_BYTES = 2;

/** Requests that a client may pipeline on one connection before it is disconnected (RFC 9112, 9.3.2). */
export const MAXIMUM_WAITING_REQUESTS = 256;

/** A client that reads nothing of its response for this time is disconnected. */
export const STALL_LIMIT_MS = 30_000;

/** Smaller bodies and responses do not count: a connection has at most one of each, and connections are bounded. */
export const COUNTED_BYTES = 8192;

const READING_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

// Measured: a request with few fields, its response, and the state of the parser for both.
const WAITING_REQUEST_BYTES = 4096;

export interface ConnectionOptions {
  /** The accepted socket; TLS, if any, runs on top of it. */
  readonly socket: Socket;
  /** The IPv4 address or IPv6 /64 of the peer. */
  readonly network: string;
  readonly budget: ByteBudget;
  /** Called when the connection becomes idle or busy, and when its identity changes. */
  readonly onChange: (connection: Connection) => void;
}

/** Connection as seen by the request pipeline. */
export interface RequestConnection {
  /** Marks the connection as authenticated by the current request. */
  noteIdentity(id: string): void;
  /** Exempts the current request from the request timeout; its receiver bounds the time. */
  noteOwnTime(): void;
  /** Returns the verified client certificate; undefined if there is none that may be used at this time. */
  findCertificate(nowMs: number): ClientCertificate | undefined;
  /**
   * Opens a reservation for the current request; it ends with the answer.
   *
   * @param network of the client, which is not that of the connection behind a proxy
   */
  reserve(network: string): Reservation;
}

/**
 * One accepted connection. Its requests are served in order: the next one begins when the client has read the previous
 * response. Nothing more is read while a request waits, so a client that never reads occupies one response.
 */
export class Connection implements RequestConnection {
  readonly network: string;
  readonly socket: Socket;
  readonly requestLines = new RequestLines();
  readonly #options: ConnectionOptions;
  readonly #waiting: Waiting[] = [];
  #current: ServerResponse | undefined;
  #identity: string | undefined;
  #certificate: Pick<PeerCertificate, 'find'> | undefined;
  #waitingBytes: Reservation | undefined;
  /** The current response is the last one. */
  #isLast = false;
  #hasOwnTime = false;
  #wasUsed = false;

  constructor(options: ConnectionOptions) {
    this.network = options.network;
    this.socket = options.socket;
    this.#options = options;
  }

  /** True if no request is being served. */
  get isIdle(): boolean {
    return this.#current === undefined;
  }

  /** True if the client has sent no part of a request so far. */
  get #isUnused(): boolean {
    return !this.#wasUsed && this.requestLines.isEmpty;
  }

  /** True if a request was authenticated, or the handshake verified a client certificate. */
  get isAuthenticated(): boolean {
    return this.#certificate !== undefined || this.#identity !== undefined;
  }

  /** True if the head of a response was sent and its end was not. */
  get isAnswering(): boolean {
    return this.#current?.headersSent === true;
  }

  /** The limit for whole requests does not reserve for the current one. */
  get hasOwnTime(): boolean {
    return this.#hasOwnTime;
  }

  /** The response to the current request. */
  get response(): ServerResponse | undefined {
    return this.#current;
  }

  /** Stores the certificate that the handshake verified. */
  noteVerified(certificate: Pick<PeerCertificate, 'find'>): void {
    this.#certificate = certificate;
    this.#options.onChange(this);
  }

  noteIdentity(id: string): void {
    if (this.#identity === id) return;
    this.#identity = id;
    this.#options.onChange(this);
  }

  noteOwnTime(): void {
    this.#hasOwnTime = true;
  }

  findCertificate(nowMs: number): ClientCertificate | undefined {
    return this.#certificate?.find(nowMs);
  }

  reserve(network: string): Reservation {
    const reservation = this.#open(
      this.#identity === undefined ? `network ${network}` : `identity ${this.#identity}`,
    );
    this.#current?.once('close', () => reservation.release());
    return reservation;
  }

  /** Serves a request now, or once the previous ones on the connection are answered. */
  serve(request: Waiting): void {
    this.#wasUsed = true;
    // Requests after the last response are dropped.
    if (this.#isLast) return;
    if (this.#current === undefined) {
      this.#begin(request);
      this.#options.onChange(this);
      return;
    }
    request.response.req.socket.pause();
    this.#waitingBytes ??= this.#options.budget.open({
      party: `network ${this.network}`,
      onEvict: () => this.#refuseWaiting(),
    });
    this.#waiting.push(request);
    const count = this.#waiting.length;
    if (count > MAXIMUM_WAITING_REQUESTS || !this.#waitingBytes.resize(count * WAITING_REQUEST_BYTES)) {
      this.#refuseWaiting();
    }
  }

  destroy(): void {
    this.#forgetWaiting();
    this.socket.destroy();
  }

  /** Closes a connection whose client sends no part of a request within this time. */
  destroyUnused(clock: Clock, waitMs: number): void {
    const destroy = (): void => {
      if (this.#isUnused) this.destroy();
    };
    if (waitMs <= 0) destroy();
    else this.socket.once('close', clock.schedule(waitMs, destroy));
  }

  /** Drops the waiting requests and the connection; a request that may change something is answered first. */
  #refuseWaiting(): void {
    if (READING_METHODS.has(this.#current?.req.method)) {
      this.destroy();
      return;
    }
    this.#isLast = true;
    this.#forgetWaiting();
  }

  #forgetWaiting(): void {
    this.#waiting.length = 0;
    this.#waitingBytes?.release();
  }

  #open(party: string): Reservation {
    return this.#options.budget.open({ party, onEvict: () => this.destroy() });
  }

  #begin({ response, begin }: Waiting): void {
    this.#current = response;
    response.once('close', () => this.#onClose(response));
    begin();
  }

  #onClose(response: ServerResponse): void {
    this.#current = undefined;
    this.#hasOwnTime = false;
    const { socket } = response.req;
    if (socket.destroyed) this.#forgetWaiting();
    if (this.#isLast) {
      // Destroyed at the stall limit, as every idle connection: a close while the client still sends resets the connection, and
      // takes the answer along that the client has not yet received.
      socket.end();
      this.#options.onChange(this);
      return;
    }
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#options.onChange(this);
      return;
    }
    this.#waitingBytes?.resize(this.#waiting.length * WAITING_REQUEST_BYTES);
    if (this.#waiting.length === 0) socket.resume();
    this.#begin(next);
  }
}

/** A received request. */
export interface Waiting {
  readonly response: ServerResponse;
  /** Called once, when its turn has come. */
  readonly begin: () => void;
}

/**
 * Compares the request lines of a connection with what the parser made of them: it takes several spaces for one, and any number of
 * empty lines before (RFC 9112, 2.2 and 3), where another program before the gateway may see another request.
 */
class RequestLines {
  /** Earlier bytes that do not belong to a complete head. */
  #before = EMPTY;
  #present = EMPTY;
  #hadBody = false;

  /** True if no bytes wait for the rest of a head. */
  get isEmpty(): boolean {
    return this.#present.length === 0 && this.#before.length === 0;
  }

  /** Stores bytes that are about to be parsed. */
  note(bytes: Buffer): void {
    if (this.#present.length > 0) {
      const joined =
        this.#present.length < KEPT_BYTES ? Buffer.concat([this.#before, this.#present]) : this.#present;
      // A copy: a view would keep all of it in memory.
      this.#before = joined.length > KEPT_BYTES ? Buffer.from(joined.subarray(-KEPT_BYTES)) : joined;
    }
    this.#present = bytes;
  }

  /** True if a request line is well formed; called once per request, while the end of its head is being parsed. */
  isWellFormed(request: IncomingMessage): boolean {
    const { method = '', url = '', httpVersion, headers } = request;
    const line = `${method} ${url} HTTP/${httpVersion}\r\n`;
    const bytes = this.#before.length === 0 ? this.#present : Buffer.concat([this.#before, this.#present]);
    const at = bytes.indexOf(line, 0, 'latin1');
    const blankBytes = this.#hadBody ? 0 : at;
    this.#hadBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
    // What follows is a body, or the next request.
    const end = at < 0 ? -1 : bytes.indexOf(HEAD_END, at + line.length - EMPTY_LINE_BYTES);
    this.#before = EMPTY;
    const rest = end < 0 ? EMPTY : bytes.subarray(end + HEAD_END.length);
    this.#present = rest.length === 0 ? EMPTY : Buffer.from(rest.subarray(-KEPT_BYTES));
    return at >= 0 && blankBytes <= EMPTY_LINE_BYTES;
  }
}
