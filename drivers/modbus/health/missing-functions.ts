import type { Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { FUNCTIONS } from '../pdu/modbus-functions.ts';
import type { FunctionCode } from '../pdu/modbus-functions.ts';

// A device can be replaced or get new firmware; after this time it is asked once more.
const REMEMBERED_MS = 300_000;

/**
 * Remembers which functions a unit does not have.
 *
 * Some devices refuse a register that cannot be written as if they did not have the function. So a function is missing only
 * when another one did the same.
 */
export class MissingFunctions {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  /** When they are forgotten, by unit and function code. */
  readonly #missing = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  has(unitId: number, functionCode: FunctionCode): boolean {
    const untilMs = this.#missing.get(keyOf(unitId, functionCode));
    return untilMs !== undefined && this.#clock.monotonicMs() < untilMs;
  }

  /** Records that the unit refused a function as unknown, and another one did the same. */
  add(unitId: number, functionCode: FunctionCode): void {
    const key = keyOf(unitId, functionCode);
    if (!this.#missing.has(key)) {
      const { name } = FUNCTIONS[functionCode];
      this.#logger.info('modbus.functionNotSupported', {
        unit: `unit ${unitId}`,
        functionCode,
        function: name,
      });
    }
    this.#missing.set(key, this.#clock.monotonicMs() + REMEMBERED_MS);
  }
}

function keyOf(unitId: number, functionCode: FunctionCode): string {
  return `${unitId} ${functionCode}`;
}
