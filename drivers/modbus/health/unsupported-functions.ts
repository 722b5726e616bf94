import type { Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { FUNCTIONS } from '../pdu/modbus-functions.ts';
import type { FunctionCode } from '../pdu/modbus-functions.ts';

// A device can be replaced or get new firmware, so the function is tried again after this time.
const REMEMBERED_MS = 300_000;

/**
 * Stores the functions that each unit does not support.
 *
 * Some devices refuse a read-only register with the exception for an unsupported function. So a function counts as
 * unsupported only if another function did the same.
 */
export class UnsupportedFunctions {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  /** Expiry time by unit and function code. */
  readonly #expiryMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  has(unitId: number, functionCode: FunctionCode): boolean {
    const untilMs = this.#expiryMs.get(keyOf(unitId, functionCode));
    return untilMs !== undefined && this.#clock.monotonicMs() < untilMs;
  }

  /** Records that the unit refused a function as unsupported and that another function did the same. */
  add(unitId: number, functionCode: FunctionCode): void {
    const key = keyOf(unitId, functionCode);
    if (!this.#expiryMs.has(key)) {
      const { name } = FUNCTIONS[functionCode];
      this.#logger.info('modbus.functionNotSupported', {
        unit: `unit ${unitId}`,
        functionCode,
        function: name,
      });
    }
    this.#expiryMs.set(key, this.#clock.monotonicMs() + REMEMBERED_MS);
  }
}

function keyOf(unitId: number, functionCode: FunctionCode): string {
  return `${unitId} ${functionCode}`;
}
