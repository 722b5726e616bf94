import { messageOf } from '../../../daemon/base/errors.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { ReadRequest, ModbusRequest } from '../pdu/request.ts';
import type { ProbeWait } from './unit-health.ts';
import type { UnitResponse } from '../link/exchange.ts';
import { NoResponse, ExceptionResponse } from '../modbus-errors.ts';
import { toProbe } from '../pdu/modbus-functions.ts';

type Transact = (request: ModbusRequest) => Promise<UnitResponse>;

export interface UnitProberOptions {
  /** Returns a request that shows whether the link is dead; undefined if the link is not in doubt. */
  readonly findResponsive: () => ReadRequest | undefined;
  /** Sends a request with the priority and effects of a client request. */
  readonly exchange: (request: ReadRequest) => Promise<unknown>;
  /**
   * Queues a probe and sends it.
   *
   * @param isWanted called right before the probe is sent
   * @returns true if it was sent
   */
  readonly send: (request: ReadRequest, wait: ProbeWait, isWanted: () => boolean) => Promise<boolean>;
  /** Reports a probe error as the loss of the line, which no client has seen; false if it is no such loss. */
  readonly reportLoss: (error: unknown) => boolean;
  readonly logger: Logger;
}

/**
 * Sends probes. Before it blames the link, it polls a unit that responded last, so that some silent units do not cost a
 * working link.
 */
export class UnitProber {
  readonly #options: UnitProberOptions;

  constructor(options: UnitProberOptions) {
    this.#options = options;
  }

  /** Probes a unit and records the outcome like that of any request. Never rejects. */
  async probe(request: ReadRequest, wait: ProbeWait): Promise<void> {
    try {
      await this.#probe(request, wait);
    } catch (error) {
      // Errors of the unit have been recorded.
      if (this.#options.reportLoss(error)) return;
      this.#options.logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
  }

  async #probe(request: ReadRequest, wait: ProbeWait): Promise<void> {
    const { findResponsive, send } = this.#options;
    const hasChecked = await this.#checkResponsive();
    // Another probe may time out while this one is queued.
    const isSent = await send(request, wait, () => hasChecked || findResponsive() === undefined);
    if (isSent) return;
    await this.#checkResponsive();
    await send(request, wait, () => true);
  }

  async #checkResponsive(): Promise<boolean> {
    const { findResponsive, exchange, logger } = this.#options;
    const responsive = findResponsive();
    if (responsive === undefined) return false;
    try {
      await exchange(responsive);
    } catch (error) {
      logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
    return true;
  }
}

/**
 * Sends a request that the unit used to answer. The result shows whether the unit or only the requested addresses are
 * silent.
 *
 * @param findRefusal returns the reason not to send the original request, once the unit state is known
 */
export async function checkUnit(
  check: ModbusRequest,
  transact: Transact,
  findRefusal: () => Error | undefined,
): Promise<void> {
  try {
    await transact(check);
  } catch (error) {
    if (!(error instanceof ExceptionResponse || error instanceof NoResponse)) throw error;
    if (error instanceof NoResponse) throw findRefusal() ?? error;
  }
}

/**
 * Reads the address of a write first: an adapter that echoes requests would confirm a write that no unit carried out.
 */
export async function readFirst(request: ModbusRequest, transact: Transact): Promise<void> {
  try {
    await transact(toProbe(request));
  } catch (error) {
    // A refused read also shows that the line has no echo.
    if (!(error instanceof ExceptionResponse)) throw error;
  }
}
