import type { Socket } from 'node:net';
import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { describeConnectFailure } from '../../daemon/base/network/connect-failure.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

// After this silence Linux sends 10 probes 1 second apart (as set by libuv), so a vanished far end is detected after 25
// seconds.
const KEEP_ALIVE_DELAY_MS = 15_000;

export interface OpenSocketOptions {
  readonly host: string;
  readonly port: number;
  /** Limits everything up to `readyEvent`. */
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Aborts the attempt only: given to the socket, it would close the connection later as well. */
  readonly signal: AbortSignal;
  readonly readyEvent: 'connect' | 'secureConnect';
  /** Starts connecting a socket; not called if the signal has aborted. */
  readonly start?: () => void;
  /** Describes the far end, for the message of a failure. */
  readonly describePeer?: () => string;
  /** Called at most once, when a ready socket closed. */
  readonly onClose: (cause: Error) => void;
}

/**
 * Waits until a socket is connected, and enables keep-alive and no delay.
 *
 * @throws {ConnectionError} if it cannot connect; the socket is then destroyed
 */
export function openSocket(socket: Socket, options: OpenSocketOptions): Promise<void> {
  const { host, port, connectTimeoutMs, clock, signal } = options;
  let cause: Error | undefined;
  return new Promise((resolve, reject) => {
    const fail = (code: ErrorCode, reason: string, error?: unknown): void => {
      endAttempt();
      socket.destroy();
      const detail = `no connection to ${host}:${port}: ${reason}`;
      reject(new ConnectionError({ code, detail, cause: error }));
    };
    const onAbort = (): void => fail('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
    const cancelTimeout = clock.schedule(connectTimeoutMs, () =>
      fail('CONNECT_TIMEOUT', `no response within ${connectTimeoutMs} ms`),
    );
    const onEarlyClose = (): void => {
      const reason = `${describeFailure(cause, host)}${options.describePeer?.() ?? ''}`;
      if (isRefusal(cause)) fail('ADDRESS_REFUSED', reason, cause);
      else fail('CONNECT_FAILED', reason, cause);
    };
    const endAttempt = (): void => {
      cancelTimeout();
      signal.removeEventListener('abort', onAbort);
      socket.off('close', onEarlyClose);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error) => {
      cause = error;
    });
    socket.once('close', onEarlyClose);
    socket.once(options.readyEvent, () => {
      endAttempt();
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
      socket.once('close', () =>
        options.onClose(new Error(describeLoss(cause), cause === undefined ? undefined : { cause })),
      );
      resolve();
    });
    if (signal.aborted) onAbort();
    else options.start?.();
  });
}

function isRefusal(cause: Error | undefined): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === 'ADDRESS_REFUSED';
}

function describeLoss(cause: Error | undefined): string {
  if (cause === undefined) return 'closed by the far end';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function describeFailure(cause: Error | undefined, host: string): string {
  return cause === undefined ? 'closed by the far end' : describeConnectFailure(cause, host);
}
