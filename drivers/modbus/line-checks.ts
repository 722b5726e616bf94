import { ExceptionAnswer } from './exception.ts';
import type { Answer } from './exchange.ts';
import { NoAnswer } from './modbus-errors.ts';
import { toProbe } from './modbus-functions.ts';
import type { ModbusRequest } from './request.ts';

type Transact = (request: ModbusRequest) => Promise<Answer>;

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
