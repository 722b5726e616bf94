import { messageOf } from '../../../daemon/base/errors.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { ReadRequest, ModbusRequest } from '../pdu/request.ts';
import type { ProbeWait } from './unit-health.ts';
import type { Answer } from '../link/exchange.ts';
import { NoAnswer, ExceptionAnswer } from '../modbus-errors.ts';
import { toProbe } from '../pdu/modbus-functions.ts';

type Transact = (request: ModbusRequest) => Promise<Answer>;

export interface UnitProberOptions {
  /** Returns a request that shows whether the link is dead; undefined when nothing casts doubt on it. */
  readonly findLiving: () => ReadRequest | undefined;
  /** Sends a request as that of a client. */
  readonly exchange: (request: ReadRequest) => Promise<unknown>;
  /**
   * Waits for the turn of a probe and sends it.
   *
   * @param isWanted asked when its turn has come
   * @returns whether it was sent
   */
  readonly send: (request: ReadRequest, wait: ProbeWait, isWanted: () => boolean) => Promise<boolean>;
  /** Reports the error of a probe as the loss of the line, which no client has seen; false when it is none. */
  readonly reportLoss: (error: unknown) => boolean;
  readonly logger: Logger;
}

/** Sends probes so that a link is not given up because some units are silent while another one, which no client asks, is there. */
export class UnitProber {
  readonly #options: UnitProberOptions;

  constructor(options: UnitProberOptions) {
    this.#options = options;
  }

  /** Probes a unit; the outcome goes where that of every request goes. Never rejects. */
  async probe(request: ReadRequest, wait: ProbeWait): Promise<void> {
    try {
      await this.#probe(request, wait);
    } catch (error) {
      // Errors of the unit have been noted.
      if (this.#options.reportLoss(error)) return;
      this.#options.logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
  }

  async #probe(request: ReadRequest, wait: ProbeWait): Promise<void> {
    const { findLiving, send } = this.#options;
    const hasAsked = await this.#askLiving();
    // Another probe may go unanswered while this one waits for its turn.
    const isSent = await send(request, wait, () => hasAsked || findLiving() === undefined);
    if (isSent) return;
    await this.#askLiving();
    await send(request, wait, () => true);
  }

  async #askLiving(): Promise<boolean> {
    const { findLiving, exchange, logger } = this.#options;
    const living = findLiving();
    if (living === undefined) return false;
    try {
      await exchange(living);
    } catch (error) {
      logger.debug('modbus.probeFailed', { reason: messageOf(error) });
    }
    return true;
  }
}

/**
 * Sends a request that the unit used to answer: that shows whether a silence is one of the unit or of the requested addresses.
 *
 * @param findRefusal returns why the request behind it is not sent, once the silence of the unit is known
 */
export async function checkUnit(
  check: ModbusRequest,
  transact: Transact,
  findRefusal: () => Error | undefined,
): Promise<void> {
  try {
    await transact(check);
  } catch (error) {
    if (!(error instanceof ExceptionAnswer || error instanceof NoAnswer)) throw error;
    if (error instanceof NoAnswer) throw findRefusal() ?? error;
  }
}

/** Reads where a request is about to write: an adapter that echoes requests would confirm a write that no unit carried out. */
export async function readFirst(request: ModbusRequest, transact: Transact): Promise<void> {
  try {
    await transact(toProbe(request));
  } catch (error) {
    // A refused read of a writable address shows as well that the line has no echo.
    if (!(error instanceof ExceptionAnswer)) throw error;
  }
}
