import type { DriverContext } from '../../../daemon/channel/driver.ts';
import type { GatewayError } from '../../../daemon/base/errors.ts';
import type { TransactOptions } from './modbus-client.ts';
import type { Transport } from './transport.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import type { SilentRanges } from '../read/read-around.ts';
import type { RequestSizes } from '../pdu/request-sizes.ts';
import type { ModbusRequest, ReadRequest, WriteRequest } from '../pdu/request.ts';

/** Line used by reads and writes: each exchange is scheduled on its own, or all run exclusively. */
export interface ExchangingLine {
  readonly linkNumber: number;
  readonly sizes: RequestSizes;
  exchange(request: ModbusRequest, options: ExchangeOptions): Promise<UnitResponse>;
  /** Runs `work` exclusively: no other write of the connection is sent before it ends; see `ModbusLine`. */
  runExclusive<T>(
    unitId: number,
    signal: AbortSignal,
    work: (line: ExchangingLine) => Promise<T>,
  ): Promise<T>;
  findRefusal(request: ModbusRequest): GatewayError | undefined;
  findSilentRanges(unitId: number): SilentRanges | undefined;
  /** Counts a register that was read and written exclusively. */
  countModification(): void;
}

export interface LineOptions {
  readonly transport: Transport;
  readonly settings: UnitSettingsTable;
  readonly context: DriverContext;
}

/** Response of a unit. */
export interface UnitResponse {
  /** Bytes of a read; empty for a write. */
  readonly bytes: Buffer;
  /** Milliseconds since the epoch when the response arrived. */
  readonly timestampMs: number;
  /** True for a broadcast: it was sent, and no unit responds to it. */
  readonly isUnconfirmed: boolean;
  /** Milliseconds from request to response, without queueing. */
  readonly durationMs: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Called when the request may be sent at once. If it throws, the exchange ends and nothing is sent. */
  readonly throwIfCancelled?: (() => void) | undefined;
  /** Called right before the request is sent; a failure before that has changed nothing. */
  readonly onSend?: () => void;
}

/** Options for sending a scheduled request. */
export type SendOptions = TransactOptions & Pick<ExchangeOptions, 'signal' | 'throwIfCancelled'>;

/**
 * Creates the line of a caller that runs exclusively.
 *
 * @param exchange sends a request at once
 */
export function createExclusiveLine(
  line: ExchangingLine,
  exchange: ExchangingLine['exchange'],
): ExchangingLine {
  const exclusive: ExchangingLine = {
    get linkNumber() {
      return line.linkNumber;
    },
    sizes: line.sizes,
    exchange,
    runExclusive: (_unitId, _signal, work) => work(exclusive),
    findRefusal: (request) => line.findRefusal(request),
    findSilentRanges: (unitId) => line.findSilentRanges(unitId),
    countModification: () => line.countModification(),
  };
  return exclusive;
}

/**
 * Reads registers and writes the values derived from them, exclusively.
 *
 * @param toWrite creates the write request from the bytes of the registers; its unit and function do not depend on them
 * @throws like `ModbusLine.exchange`
 */
export function modifyRegister(
  line: ExchangingLine,
  { read, toWrite }: { readonly read: ReadRequest; readonly toWrite: (bytes: Buffer) => WriteRequest },
  options: ExchangeOptions,
): Promise<UnitResponse> {
  const { signal } = options;
  return line.runExclusive(read.unitId, signal, async (exclusive) => {
    const refusal = exclusive.findRefusal(toWrite(Buffer.alloc(2 * read.quantity)));
    if (refusal !== undefined) throw refusal;
    const { bytes } = await exclusive.exchange(read, { signal });
    const response = await exclusive.exchange(toWrite(bytes), options);
    exclusive.countModification();
    return response;
  });
}
