import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import type { ScanRun } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import {
  InvalidAnswer,
  LinkLost,
  ACKNOWLEDGE,
  ExceptionAnswer,
  SERVER_DEVICE_BUSY,
} from '../modbus-errors.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import type { LineRequest } from '../pdu/request.ts';

/** Response of a unit to a request. */
export type ScanAnswer =
  | { readonly kind: 'ANSWERED'; readonly bytes: Buffer; readonly durationMs: number }
  | { readonly kind: 'REFUSED'; readonly exceptionCode: number }
  /** Timeout, or the link was lost because of the request. */
  | { readonly kind: 'SILENT' }
  /** The response does not match the request. */
  | { readonly kind: 'INVALID'; readonly detail: string };

/** The scan must end: its client has disconnected, or its time is over. */
export class ScanEnded extends Error {}

interface ScanClientOptions {
  readonly line: Pick<ModbusLine, 'ask'>;
  readonly clock: Clock;
  readonly run: Pick<ScanRun, 'signal' | 'call'>;
  readonly pauseMs: number;
}

// Longer pauses would make a scan of a slow line useless.
const LONGEST_PAUSE_MS = 500;
const BUSY_PAUSE_MS = 200;
const BUSY_RETRIES = 5;
// A lost link is reopened after a growing pause; after this many attempts the device is gone.
const RECONNECT_PAUSE_MS = 1000;
const RECONNECT_ATTEMPTS = 20;
// Devices that close each link after a response lose one of the first requests.
const MAXIMUM_LOSSES = 3;

/** Sends the requests of a scan one at a time with a pause after each, so that it uses at most half of the line. */
export class ScanClient {
  readonly #options: ScanClientOptions;
  #pauseMs = 0;
  /** True if the device responded once, so that it may come back. */
  #isReached = false;

  constructor(options: ScanClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request; retries while the unit is busy.
   *
   * @throws {ScanEnded} if the scan must end
   * @throws {ConnectionError} if the device cannot be reached any more
   */
  async ask(request: LineRequest): Promise<ScanAnswer> {
    for (let retry = 0; ; retry += 1) {
      const answer = await this.#askOnce(request);
      if (!isBusy(answer) || retry === BUSY_RETRIES) return answer;
      await this.#wait(BUSY_PAUSE_MS);
    }
  }

  async #askOnce(request: LineRequest): Promise<ScanAnswer> {
    const { run, line } = this.#options;
    await this.#wait(this.#pauseMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await run.call((signal) =>
          this.#exchange(line, request, AbortSignal.any([signal, run.signal])),
        );
        this.#isReached = true;
        this.#notePause(answer);
        return answer;
      } catch (error) {
        if (run.signal.aborted) throw new ScanEnded();
        const isLast = !this.#isReached || attempt === RECONNECT_ATTEMPTS;
        if (!(error instanceof ConnectionError) || isLast) throw error;
        await this.#wait(RECONNECT_PAUSE_MS);
      }
    }
  }

  async #exchange(
    line: Pick<ModbusLine, 'ask'>,
    request: LineRequest,
    signal: AbortSignal,
  ): Promise<ScanAnswer> {
    for (let loss = 1; ; loss += 1) {
      try {
        const { bytes, durationMs } = await line.ask(request, signal);
        return { kind: 'ANSWERED', bytes, durationMs };
      } catch (error) {
        if (error instanceof LinkLost) {
          // The line opens the next link automatically; a device that closes each of them rejects the request.
          if (loss === MAXIMUM_LOSSES) return { kind: 'SILENT' };
          continue;
        }
        if (error instanceof ConnectionError || !(error instanceof GatewayError)) throw error;
        if (error instanceof ExceptionAnswer) return { kind: 'REFUSED', exceptionCode: error.exceptionCode };
        return error instanceof InvalidAnswer
          ? { kind: 'INVALID', detail: error.detail }
          : { kind: 'SILENT' };
      }
    }
  }

  #notePause(answer: ScanAnswer): void {
    const { pauseMs } = this.#options;
    const durationMs = answer.kind === 'ANSWERED' ? answer.durationMs : 0;
    this.#pauseMs =
      pauseMs === 0 ? 0 : Math.min(Math.max(pauseMs, durationMs), Math.max(pauseMs, LONGEST_PAUSE_MS));
  }

  async #wait(delayMs: number): Promise<void> {
    const { run, clock } = this.#options;
    if (run.signal.aborted) throw new ScanEnded();
    if (delayMs === 0) return;
    await delay(clock, delayMs, run.signal).catch(() => {
      throw new ScanEnded();
    });
  }
}

function isBusy(answer: ScanAnswer): boolean {
  if (answer.kind !== 'REFUSED') return false;
  return answer.exceptionCode === SERVER_DEVICE_BUSY || answer.exceptionCode === ACKNOWLEDGE;
}
