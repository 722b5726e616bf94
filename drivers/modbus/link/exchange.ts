import type { DriverContext } from '../../../daemon/channel/driver.ts';
import type { GatewayError } from '../../../daemon/base/errors.ts';
import type { TransactOptions } from './modbus-client.ts';
import type { Transport } from './transport.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import type { Silences } from '../read/read-around.ts';
import type { RequestSizes } from '../pdu/request-sizes.ts';
import type { ModbusRequest, ReadRequest, WriteRequest } from '../pdu/request.ts';

/** A line as reads and writes see it: each exchange in a turn of its own, or all in one that is held. */
export interface ExchangingLine {
  readonly linkNumber: number;
  readonly sizes: RequestSizes;
  exchange(request: ModbusRequest, options: ExchangeOptions): Promise<Answer>;
  /** Runs work in one turn: no other write of the connection is sent before it ends; see `ModbusLine`. */
  hold<T>(unitId: number, signal: AbortSignal, work: (line: ExchangingLine) => Promise<T>): Promise<T>;
  findRefusal(request: ModbusRequest): GatewayError | undefined;
  findSilences(unitId: number): Silences | undefined;
  /** Counts a register that was read and written in one turn. */
  countModification(): void;
}

export interface LineOptions {
  readonly transport: Transport;
  readonly settings: UnitSettingsTable;
  readonly context: DriverContext;
}

/** The answer of a unit. */
export interface Answer {
  /** The bytes of a read; nothing for a write. */
  readonly bytes: Buffer;
  /** Milliseconds since the epoch at which the answer arrived. */
  readonly timestampMs: number;
  /** Nobody answers a broadcast: it was sent, and that is all that is known. */
  readonly isUnconfirmed: boolean;
  /** Milliseconds from request to answer, without the wait for a turn. */
  readonly durationMs: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Called when the request may go out at once; what it throws ends the exchange, and nothing was sent. */
  readonly throwIfCancelled?: (() => void) | undefined;
  /** Called right before the request goes out; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

/** How a request goes out once its turn has come. */
export type SendOptions = TransactOptions & Pick<ExchangeOptions, 'signal' | 'throwIfCancelled'>;

/**
 * Returns a line whose turn is held by the caller.
 *
 * @param exchange sends a request at once
 */
export function createHeldLine(line: ExchangingLine, exchange: ExchangingLine['exchange']): ExchangingLine {
  const held: ExchangingLine = {
    get linkNumber() {
      return line.linkNumber;
    },
    sizes: line.sizes,
    exchange,
    hold: (_unitId, _signal, work) => work(held),
    findRefusal: (request) => line.findRefusal(request),
    findSilences: (unitId) => line.findSilences(unitId),
    countModification: () => line.countModification(),
  };
  return held;
}

/**
 * Reads a register and writes what is made of it, in one turn.
 *
 * @param toWrite makes the request from the bytes of the register; its unit and function do not depend on them
 * @throws like `ModbusLine.exchange`
 */
export function modifyRegister(
  line: ExchangingLine,
  { read, toWrite }: { readonly read: ReadRequest; readonly toWrite: (bytes: Buffer) => WriteRequest },
  options: ExchangeOptions,
): Promise<Answer> {
  const { signal } = options;
  return line.hold(read.unitId, signal, async (held) => {
    const refusal = held.findRefusal(toWrite(Buffer.alloc(2)));
    if (refusal !== undefined) throw refusal;
    const { bytes } = await held.exchange(read, { signal });
    const answer = await held.exchange(toWrite(bytes), options);
    held.countModification();
    return answer;
  });
}
