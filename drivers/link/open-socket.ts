import type { Socket } from 'node:net';
import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { createReason, ExplainedError, explain, quoteText } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { explainConnectFailure } from '../../daemon/base/network/connect-failure.ts';
import { toReasons } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { LINK_FAILURES } from './failure-sentences.ts';

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
  readonly describePeer?: () => readonly FaultReason[];
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
    const fail = (code: ErrorCode, reasons: readonly FaultReason[], error?: unknown): void => {
      endAttempt();
      socket.destroy();
      const target = createReason(LINK_FAILURES, 'LINK_NOT_OPENED', { host, port });
      reject(new ConnectionError({ code, ...explain(target, ...reasons), cause: error }));
    };
    const onAbort = (): void => fail('CONNECT_ABORTED', toReasons(signal.reason), signal.reason);
    const cancelTimeout = clock.schedule(connectTimeoutMs, () =>
      fail('CONNECT_TIMEOUT', [createReason(LINK_FAILURES, 'LINK_SILENT', { timeoutMs: connectTimeoutMs })]),
    );
    const onEarlyClose = (): void => {
      const reasons = [...explainFailure(cause, host), ...(options.describePeer?.() ?? [])];
      if (isRefusal(cause)) fail('ADDRESS_REFUSED', reasons, cause);
      else fail('CONNECT_FAILED', reasons, cause);
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
        options.onClose(
          new ExplainedError([explainLoss(cause)], cause === undefined ? undefined : { cause }),
        ),
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

function explainLoss(cause: Error | undefined): FaultReason {
  if (cause === undefined) return createReason(LINK_FAILURES, 'LINK_CLOSED_BY_FAR_END', {});
  return quoteText('code' in cause && typeof cause.code === 'string' ? cause.code : cause.message);
}

function explainFailure(cause: Error | undefined, host: string): readonly FaultReason[] {
  return cause === undefined ? [explainLoss(cause)] : explainConnectFailure(cause, host);
}
