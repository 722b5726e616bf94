import type { X509Certificate } from 'node:crypto';
import { Duplex } from 'node:stream';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Flow, FlowTarget } from './flow.ts';

interface ServerSocketOptions {
  readonly time: Clock;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  /** Whether TLS runs on the connection. */
  readonly isEncrypted: boolean;
  readonly certificate: X509Certificate | undefined;
  /** The direction to the client. */
  readonly toClient: Flow;
  /** The direction from the client. */
  readonly fromClient: Flow;
  readonly onClose: () => void;
  /** Called when it takes nothing any more: it is closed, or cut. */
  readonly onGone: () => void;
}

/** Is told when the bytes that have arrived are parsed. */
interface ParseWatcher {
  readonly begin: () => void;
  readonly end: () => void;
}

/**
 * The gateway's end of a simulated connection: what an HTTP server uses of a `net.Socket` or a `TLSSocket`.
 *
 * Its time-outs run by the simulated clock.
 */
export class ServerSocket extends Duplex implements FlowTarget {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly remoteFamily = 'IPv4';
  readonly localPort: number;
  readonly encrypted: boolean;
  readonly authorized: boolean;
  timeout = 0;
  readonly #options: ServerSocketOptions;
  #onRoom: (() => void) | undefined;
  #watcher: ParseWatcher | undefined;
  #isCut = false;
  #activeMs: number;
  #planned: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  constructor(options: ServerSocketOptions) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#options = options;
    this.remoteAddress = options.remoteAddress;
    this.remotePort = options.remotePort;
    this.localPort = options.localPort;
    this.encrypted = options.isEncrypted;
    this.authorized = options.certificate !== undefined;
    this.#activeMs = options.time.monotonicMs();
  }

  watch(watcher: ParseWatcher): void {
    this.#watcher = watcher;
  }

  getPeerX509Certificate(): X509Certificate | undefined {
    return this.#options.certificate;
  }

  /** No session is ever resumed. */
  getSession(): undefined {
    return undefined;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Emits `timeout` when nothing is sent or received for this time; 0: never. */
  setTimeout(timeoutMs: number): this {
    this.timeout = timeoutMs;
    this.#activeMs = this.#options.time.monotonicMs();
    if (timeoutMs > 0) this.#planTimeout();
    else this.#cancelTimeout();
    return this;
  }

  /** Closes the connection when everything is sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /** The process has been killed: its code is told nothing more, and sends nothing more. */
  cut(): void {
    this.#isCut = true;
    this.#cancelTimeout();
    this.#hangUp();
    this.#releaseParser();
    this.#options.onGone();
  }

  receive(chunk: Buffer): void {
    if (this.#isCut || this.destroyed) {
      this.#options.toClient.reset();
      return;
    }
    this.#noteActivity();
    this.#watcher?.begin();
    if (!this.push(chunk)) this.#options.fromClient.pause();
    this.#watcher?.end();
  }

  receiveEnd(): void {
    if (!this.#isCut && !this.destroyed) this.push(null);
  }

  receiveReset(): void {
    if (this.#isCut || this.destroyed) return;
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
  }

  /** The client has read so much that more can be sent. */
  noteRoom(): void {
    if (this.#isCut) return;
    this.#noteActivity();
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }

  override _read(): void {
    this.#options.fromClient.resume();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, callback: () => void): void {
    this.#send(chunk, encoding);
    this.#whenRoom(callback);
  }

  override _writev(
    chunks: { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    callback: () => void,
  ): void {
    for (const { chunk, encoding } of chunks) this.#send(chunk, encoding);
    this.#whenRoom(callback);
  }

  override _final(callback: () => void): void {
    if (!this.#isCut) this.#options.toClient.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#cancelTimeout();
    if (!this.#isCut) this.#hangUp();
    callback(error);
    if (this.#isCut) return;
    this.#options.onClose();
    this.#options.onGone();
  }

  // As a kernel does: what was not read is lost, and the client is told so.
  #hangUp(): void {
    if (this.#options.fromClient.hasUnread || this.readableLength > 0) this.#options.toClient.reset();
    else this.#options.toClient.end();
    this.#options.fromClient.resume();
  }

  // The runtime holds each parser in use, which holds everything that answered on its connection: the gateway that is dead.
  #releaseParser(): void {
    const parser = Reflect.get(this, 'parser') as { close(): void } | null | undefined;
    Reflect.set(this, 'parser', null);
    parser?.close();
  }

  #send(chunk: Buffer | string, encoding: BufferEncoding): void {
    if (this.#isCut) return;
    this.#noteActivity();
    this.#options.toClient.send(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
  }

  #whenRoom(callback: () => void): void {
    if (this.#isCut || this.#options.toClient.hasRoom) callback();
    else this.#onRoom = callback;
  }

  #noteActivity(): void {
    this.#activeMs = this.#options.time.monotonicMs();
    if (this.timeout > 0 && this.#planned === undefined) this.#planTimeout();
  }

  // What happens meanwhile only moves the moment: most time-outs of a server never come.
  #planTimeout(): void {
    const { time } = this.#options;
    const dueMs = this.#activeMs + this.timeout;
    if (this.#planned !== undefined && this.#planned.dueMs <= dueMs) return;
    this.#cancelTimeout();
    const cancel = time.schedule(dueMs - time.monotonicMs(), () => {
      this.#planned = undefined;
      if (this.timeout === 0) return;
      if (time.monotonicMs() >= this.#activeMs + this.timeout) this.emit('timeout');
      else this.#planTimeout();
    });
    this.#planned = { dueMs, cancel };
  }

  #cancelTimeout(): void {
    this.#planned?.cancel();
    this.#planned = undefined;
  }
}
