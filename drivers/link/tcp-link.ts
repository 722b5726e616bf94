import { Socket } from 'node:net';
import { findRefusedHost, lookupDevice } from '../../daemon/base/network/checked-lookup.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import type { ByteLink, ByteLinkEvents, Undelivered } from './byte-link.ts';
import { openSocket } from './open-socket.ts';

// Maximum bytes read at once; the rest waits in the kernel, however much the far end sends.
const RECEIVE_BUFFER_BYTES = 4096;

export interface TcpLinkOptions {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
}

/** A link over one TCP connection, with keep-alive and without delay. */
export class TcpLink implements ByteLink {
  readonly #options: TcpLinkOptions;
  #socket: Socket | undefined;

  constructor(options: TcpLinkOptions) {
    this.#options = options;
  }

  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { host, port, connectTimeoutMs, clock } = this.#options;
    // One buffer for all received bytes: cheaper than a stream, and bounded.
    const socket: Socket = new Socket({
      onread: {
        buffer: Buffer.allocUnsafeSlow(RECEIVE_BUFFER_BYTES),
        callback: (count, buffer) => {
          if (this.#socket === socket) events.onChunk(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    this.#socket = socket;
    return openSocket(socket, {
      host,
      port,
      connectTimeoutMs,
      clock,
      signal,
      readyEvent: 'connect',
      start: () => {
        const refusal = findRefusedHost(host);
        if (refusal === undefined) socket.connect({ host, port, lookup: lookupDevice });
        else socket.destroy(refusal);
      },
      onClose: (cause) => {
        if (this.#socket !== socket) return;
        this.#socket = undefined;
        events.onClose(cause);
      },
    });
  }

  send(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  // After FIN the kernel would keep sending undelivered bytes for minutes.
  close(undelivered: Undelivered = 'LEFT'): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (undelivered === 'TAKEN_BACK') socket?.resetAndDestroy();
    else socket?.destroy();
  }
}
