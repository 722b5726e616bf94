import type { Clock } from '../../../base/clock.ts';
import type { ErrorCode } from '../../../base/error-codes.ts';
import { codeOf, messageOf, reasonsOf } from '../../../base/errors.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import type { ConnectionState } from '../../../interface/plant/drivers.ts';
import type { ConnectionStatus } from './connection-status.ts';

/** Link status for display: state, its start, and the last error. */
export class LinkState {
  readonly #clock: Pick<Clock, 'epochMs'>;
  #state: ConnectionState = 'DISCONNECTED';
  #sinceMs: number;
  #lostSinceMs: number | undefined;
  #lastError:
    | {
        readonly message: string;
        readonly code: ErrorCode | undefined;
        readonly reasons: readonly FaultReason[] | undefined;
        readonly atMs: number;
      }
    | undefined;

  constructor(clock: Pick<Clock, 'epochMs'>) {
    this.#clock = clock;
    this.#sinceMs = clock.epochMs();
  }

  get current(): ConnectionState {
    return this.#state;
  }

  /** Message of the last error. */
  get lastError(): string | undefined {
    return this.#lastError?.message;
  }

  /** @returns true if the state changed */
  enter(state: ConnectionState): boolean {
    if (state === this.#state) return false;
    this.#state = state;
    this.#sinceMs = this.#clock.epochMs();
    if (state === 'BACKING_OFF') this.#lostSinceMs ??= this.#sinceMs;
    else if (state !== 'CONNECTING') this.#lostSinceMs = undefined;
    return true;
  }

  noteError(error: unknown): void {
    this.#lastError = {
      message: messageOf(error),
      code: codeOf(error),
      reasons: reasonsOf(error),
      atMs: this.#clock.epochMs(),
    };
  }

  show(): Pick<
    ConnectionStatus,
    'state' | 'sinceMs' | 'lostSinceMs' | 'lastError' | 'lastErrorCode' | 'lastErrorReasons' | 'lastErrorAtMs'
  > {
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      lostSinceMs: this.#lostSinceMs,
      lastError: this.#lastError?.message,
      lastErrorCode: this.#lastError?.code,
      lastErrorReasons: this.#lastError?.reasons,
      lastErrorAtMs: this.#lastError?.atMs,
    };
  }
}
