import { Socket } from 'node:net';
import type { Clock } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';

// Linux sends 10 probes 1 second apart after this silence (as libuv sets them), so a far end that is gone without a
// word is noticed after 25 seconds.
const KEEP_ALIVE_DELAY_MS = 15_000;

// Most that is taken in at once; the rest waits in the kernel, whatever the far end sends.
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
    // One buffer for all that comes in: cheaper than a stream, and bounded.
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
    let cause: Error | undefined;
    return new Promise((resolve, reject) => {
      const fail = (code: string, reason: string, error?: unknown): void => {
        endAttempt();
        this.close();
        const detail = `no connection to ${host}:${port}: ${reason}`;
        reject(new ConnectionError({ code, detail, cause: error }));
      };
      const onAbort = (): void => fail('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
      const cancelTimeout = clock.schedule(connectTimeoutMs, () =>
        fail('CONNECT_TIMEOUT', `nobody answered within ${connectTimeoutMs} ms`),
      );
      const onEarlyClose = (): void => fail('CONNECT_FAILED', describe(cause), cause);
      const endAttempt = (): void => {
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
        socket.off('close', onEarlyClose);
      };
      // The signal is for the attempt only: given to the socket, it would close the connection later as well.
      signal.addEventListener('abort', onAbort, { once: true });
      socket.on('error', (error) => {
        cause = error;
      });
      socket.once('close', onEarlyClose);
      socket.once('connect', () => {
        endAttempt();
        socket.setNoDelay(true);
        socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
        socket.once('close', () => {
          if (this.#socket !== socket) return;
          this.#socket = undefined;
          events.onClose(new Error(describe(cause), cause === undefined ? undefined : { cause }));
        });
        resolve();
      });
      if (signal.aborted) onAbort();
      else socket.connect({ host, port });
    });
  }

  send(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }
}

function describe(cause: Error | undefined): string {
  if (cause === undefined) return 'closed by the far end';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
