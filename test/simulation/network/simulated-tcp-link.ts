import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { describeConnectFailure } from '../../../daemon/base/network/connect-failure.ts';
import { messageOf } from '../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import type { TcpLinkOptions } from '../../../drivers/link/tcp-link.ts';
import type { TcpConnection } from './tcp-connection.ts';
import type { TcpHost } from './tcp-host.ts';

// A packet that opens a connection is sent again after 1, 3, 7 s … (RFC 6298, 2.1).
const SYN_PAUSE_MS = 1000;

export interface SimulatedTcpLinkOptions extends TcpLinkOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  /** Returns the host when the name is known and something may be there. */
  readonly findHost: () => TcpHost | undefined;
  /** Times that a packet travels before the link is open: 2 for TCP, more for TLS. */
  readonly travels: number;
}

/** What `TcpLink` is, over a simulated network. */
export class SimulatedTcpLink implements ByteLink {
  readonly #options: SimulatedTcpLinkOptions;
  #connection: TcpConnection | undefined;
  #endAttempt: (() => void) | undefined;

  constructor(options: SimulatedTcpLinkOptions) {
    this.#options = options;
  }

  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { host, port, connectTimeoutMs, clock } = this.#options;
    return new Promise((resolve, reject) => {
      let cancelStep: Cancel = () => undefined;
      const end = (): void => {
        this.#endAttempt = undefined;
        cancelStep();
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (code: ErrorCode, reason: string, cause?: unknown): void => {
        end();
        reject(new ConnectionError({ code, detail: `no connection to ${host}:${port}: ${reason}`, cause }));
      };
      const refuse = (code: string): void => {
        const cause = Object.assign(new Error(`connect ${code}`), { code });
        fail('CONNECT_FAILED', describeConnectFailure(cause, host), cause);
      };
      const onAbort = (): void => fail('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
      const cancelTimeout = clock.schedule(connectTimeoutMs, () =>
        fail('CONNECT_TIMEOUT', `no response within ${connectTimeoutMs} ms`),
      );
      this.#endAttempt = () => fail('CONNECT_FAILED', 'closed by the far end');
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      const tryToConnect = (pauseMs: number): void => {
        const { time, findHost, travels } = this.#options;
        const target = findHost();
        if (target === undefined) return refuse('ENOTFOUND');
        if (!target.isReachable) {
          cancelStep = time.schedule(pauseMs, () => tryToConnect(2 * pauseMs));
          return;
        }
        cancelStep = time.schedule(travels * target.path.latencyMs, () => {
          if (!target.isReachable) return tryToConnect(SYN_PAUSE_MS);
          this.#connection = this.#connect(target, events);
          if (this.#connection === undefined) return refuse('ECONNREFUSED');
          end();
          resolve();
        });
      };
      tryToConnect(SYN_PAUSE_MS);
    });
  }

  send(bytes: Uint8Array): void {
    this.#connection?.sendFromGateway(Buffer.from(bytes));
  }

  close(): void {
    this.#endAttempt?.();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.closeByGateway();
  }

  #connect(host: TcpHost, events: ByteLinkEvents): TcpConnection | undefined {
    return host.connect({
      onChunk: (bytes) => events.onChunk(bytes),
      onClose: (cause) => {
        this.#connection = undefined;
        events.onClose(new Error(cause));
      },
    });
  }
}
