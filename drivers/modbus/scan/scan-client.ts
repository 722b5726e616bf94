import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import type { ScanRun } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import {
  InvalidResponse,
  LinkLost,
  ACKNOWLEDGE,
  ExceptionResponse,
  SERVER_DEVICE_BUSY,
} from '../modbus-errors.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import type { LineRequest } from '../pdu/request.ts';

/** Response of a unit to a request. */
export type ScanResponse =
  | { readonly kind: 'ANSWERED'; readonly bytes: Buffer; readonly durationMs: number }
  | { readonly kind: 'REFUSED'; readonly exceptionCode: number }
  /** Timeout, or the link was lost because of the request. */
  | { readonly kind: 'SILENT' }
  /** The response does not match the request. */
  | { readonly kind: 'INVALID'; readonly error: InvalidResponse };

/** The scan must end: its client has disconnected, or its time is over. */
export class ScanEnded extends Error {}

interface ScanClientOptions {
  readonly line: Pick<ModbusLine, 'sendScan'>;
  readonly clock: Clock;
  readonly run: Pick<ScanRun, 'signal' | 'call'>;
  readonly pauseMs: number;
}

// Longer pauses would make a scan of a slow line useless.
const MAXIMUM_PAUSE_MS = 500;
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
  readonly #readWriteUnits = new Set<number>();

  constructor(options: ScanClientOptions) {
    this.#options = options;
  }

  /** Reads the holding registers of a unit with function code 23 from now on, writing none. */
  readHoldingWithReadWrite(unitId: number): void {
    this.#readWriteUnits.add(unitId);
  }

  /**
   * Sends a request; retries while the unit is busy.
   *
   * @throws {ScanEnded} if the scan must end
   * @throws {ConnectionError} if the device cannot be reached any more
   */
  async send(given: LineRequest): Promise<ScanResponse> {
    const isReadWrite = given.functionCode === 3 && this.#readWriteUnits.has(given.unitId);
    const request = isReadWrite ? { ...given, readWrite: {} } : given;
    for (let retry = 0; ; retry += 1) {
      const response = await this.#sendOnce(request);
      if (!isBusy(response) || retry === BUSY_RETRIES) return response;
      await this.#wait(BUSY_PAUSE_MS);
    }
  }

  async #sendOnce(request: LineRequest): Promise<ScanResponse> {
    const { run, line } = this.#options;
    await this.#wait(this.#pauseMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await run.call((signal) =>
          this.#exchange(line, request, AbortSignal.any([signal, run.signal])),
        );
        this.#isReached = true;
        this.#recordPause(response);
        return response;
      } catch (error) {
        if (run.signal.aborted) throw new ScanEnded();
        const isLast = !this.#isReached || attempt === RECONNECT_ATTEMPTS;
        if (!(error instanceof ConnectionError) || isLast) throw error;
        await this.#wait(RECONNECT_PAUSE_MS);
      }
    }
  }

  async #exchange(
    line: Pick<ModbusLine, 'sendScan'>,
    request: LineRequest,
    signal: AbortSignal,
  ): Promise<ScanResponse> {
    for (let loss = 1; ; loss += 1) {
      try {
        const { bytes, durationMs } = await line.sendScan(request, signal);
        return { kind: 'ANSWERED', bytes, durationMs };
      } catch (error) {
        if (error instanceof LinkLost) {
          // The line opens the next link automatically; a device that closes each of them rejects the request.
          if (loss === MAXIMUM_LOSSES) return { kind: 'SILENT' };
          continue;
        }
        if (error instanceof ConnectionError || !(error instanceof GatewayError)) throw error;
        if (error instanceof ExceptionResponse)
          return { kind: 'REFUSED', exceptionCode: error.exceptionCode };
        return error instanceof InvalidResponse ? { kind: 'INVALID', error } : { kind: 'SILENT' };
      }
    }
  }

  #recordPause(response: ScanResponse): void {
    const { pauseMs } = this.#options;
    const durationMs = response.kind === 'ANSWERED' ? response.durationMs : 0;
    this.#pauseMs =
      pauseMs === 0 ? 0 : Math.min(Math.max(pauseMs, durationMs), Math.max(pauseMs, MAXIMUM_PAUSE_MS));
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

function isBusy(response: ScanResponse): boolean {
  if (response.kind !== 'REFUSED') return false;
  return response.exceptionCode === SERVER_DEVICE_BUSY || response.exceptionCode === ACKNOWLEDGE;
}
