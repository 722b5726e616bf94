import { createUnknownOutcome, toFailure } from '../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { WriteOutcome, WriteRequest } from '../../daemon/channel/driver.ts';
import { EncodeFault } from './codec.ts';
import { encodeWrite } from './encode-write.ts';
import {
  ExceptionAnswer,
  GATEWAY_TARGET_SILENT,
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
  ILLEGAL_FUNCTION,
} from './exception.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { AddressSuspended, NoAnswer } from './modbus-errors.ts';
import type { ModbusLine } from './modbus-line.ts';
import type { WriteRequest as ModbusWriteRequest } from './request.ts';
import { planWrites, toMultipleWrite } from './write-plan.ts';
import type { EncodedWrite } from './write-plan.ts';

// With these a unit reports that it checked the request and did nothing (V1.1b3, 6.11 and 6.12, state diagrams).
const NOTHING_WRITTEN: ReadonlySet<number> = new Set([
  ILLEGAL_FUNCTION,
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
]);

export interface WriteOptions {
  readonly line: ModbusLine;
  readonly clock: { epochMs(): number };
  readonly signal: AbortSignal;
}

/** A value that can be sent, and the position of its outcome. */
interface Entry {
  readonly index: number;
  readonly write: EncodedWrite;
}

/**
 * Writes values in the order given; no value is sent again once it may have reached the device.
 *
 * @returns one outcome per request, in the same order
 * @throws {ConnectionError} when the link was down before anything was sent
 */
export async function writeChannels(
  requests: readonly WriteRequest<ModbusAddress>[],
  options: WriteOptions,
): Promise<readonly WriteOutcome[]> {
  const run = new WriteRun(options, requests.length);
  const entries: Entry[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const write = encodeWrite(channel.address, value);
    if (write instanceof EncodeFault) run.fail([index], { code: write.code, message: write.message });
    else entries.push({ index, write });
  }
  await run.writeAll(entries);
  return run.outcomes;
}

class WriteRun {
  readonly outcomes: WriteOutcome[];
  readonly #options: WriteOptions;
  /** Units with an unknown outcome, and the failure that their other values show. */
  readonly #uncertain = new Map<number, ChannelFailure>();
  #hasSent = false;

  constructor(options: WriteOptions, count: number) {
    this.#options = options;
    this.outcomes = Array.from<WriteOutcome>({ length: count });
  }

  fail(indices: readonly number[], failure: ChannelFailure): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const index of indices) this.outcomes[index] = { failure, timestampMs };
  }

  async writeAll(entries: readonly Entry[]): Promise<void> {
    for (const { request, indices } of planWrites(entries.map(({ write }) => write))) {
      await this.#writePlanned(
        request,
        indices.flatMap((position) => entries[position] ?? []),
      );
    }
  }

  async #writePlanned(request: ModbusWriteRequest, entries: readonly Entry[]): Promise<void> {
    const indices = entries.map(({ index }) => index);
    const refusal = await this.#send(request, indices);
    if (refusal === undefined) return;
    if (entries.length > 1 && hasWrittenNothing(refusal)) {
      for (const entry of entries) await this.writeAll([entry]);
      return;
    }
    const isUnknownFunction =
      refusal instanceof ExceptionAnswer && refusal.exceptionCode === ILLEGAL_FUNCTION;
    const alternative = isUnknownFunction ? toMultipleWrite(request) : undefined;
    const last = alternative === undefined ? refusal : await this.#send(alternative, indices);
    if (last !== undefined) this.fail(indices, toFailure(last, this.#options.signal));
  }

  // Notes the outcome, except that of a refusal, by the unit or before it was sent, which it returns.
  async #send(
    request: ModbusWriteRequest,
    indices: readonly number[],
  ): Promise<ExceptionAnswer | AddressSuspended | undefined> {
    const { line, signal } = this.#options;
    const { unitId } = request;
    const held = this.#uncertain.get(unitId);
    if (held !== undefined) {
      this.fail(indices, held);
      return undefined;
    }
    let isSent = false;
    const onSend = (): void => {
      isSent = true;
      this.#hasSent = true;
    };
    try {
      const { timestampMs } = await line.exchange(request, { signal, onSend });
      for (const index of indices) this.outcomes[index] = { timestampMs };
      return undefined;
    } catch (error) {
      // Behind a gateway that got no answer the unit may have carried out the request.
      const isRefusal = error instanceof ExceptionAnswer && error.exceptionCode !== GATEWAY_TARGET_SILENT;
      if (isRefusal || error instanceof AddressSuspended) return error;
      if (!isSent && !this.#hasSent && error instanceof ConnectionError && !signal.aborted) throw error;
      this.fail(indices, isSent ? toUnknownOutcome(error, signal) : toFailure(error, signal));
      if (isSent || error instanceof NoAnswer) this.#holdBack(unitId, error);
      return undefined;
    }
  }

  // Values that follow one another mean something in their order.
  #holdBack(unitId: number, error: unknown): void {
    const { code } = toFailure(error, this.#options.signal);
    const message = `unit ${unitId} did not confirm the write before; not sent`;
    this.#uncertain.set(unitId, { code, message });
  }
}

function hasWrittenNothing(refusal: ExceptionAnswer | AddressSuspended): boolean {
  return refusal instanceof AddressSuspended || NOTHING_WRITTEN.has(refusal.exceptionCode);
}

function toUnknownOutcome(error: unknown, signal: AbortSignal): ChannelFailure {
  return createUnknownOutcome('MODBUS_WRITE_OUTCOME_UNKNOWN', toFailure(error, signal).message);
}
