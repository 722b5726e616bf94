import { toChannelFailure } from '../../daemon/channel/driver-errors.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type { CheckedWrites, PreparedValue } from '../../daemon/channel/checking-driver.ts';
import type { WriteOutcome, WriteRequest } from '../../daemon/channel/driver.ts';
import type { FailedWriteOutcome } from '../../daemon/channel/write-outcome.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { throwIfWithdrawn } from '../../daemon/channel/withdrawn-write.ts';
import { EncodeFault } from './codec.ts';
import { decodeWord, decodeWrite, encodeWrite } from './encode-write.ts';
import { ILLEGAL_DATA_ADDRESS, ILLEGAL_DATA_VALUE, ILLEGAL_FUNCTION } from './exception.ts';
import type { ExceptionAnswer } from './exception.ts';
import type { MissingFunctions } from './missing-functions.ts';
import { dataTypeOf } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { AddressSuspended } from './modbus-errors.ts';
import type { ExchangingLine } from './held-line.ts';
import type { UnitSettingsTable } from './unit-settings.ts';
import { WriteAttempts } from './write-attempt.ts';
import type { WriteResult } from './write-attempt.ts';
import { WriteSender } from './write-sender.ts';
import { planWrites } from './write-plan.ts';
import type { EncodedWrite, PlannedWrite } from './write-plan.ts';
import { findRuleFault, findWriteRules } from './write-rules.ts';

// With these a unit reports that it checked the request and did nothing (V1.1b3, 6.11 and 6.12, state diagrams).
const NOTHING_WRITTEN: ReadonlySet<number> = new Set([
  ILLEGAL_FUNCTION,
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
]);

export interface WriteOptions {
  readonly line: ExchangingLine;
  readonly settings: UnitSettingsTable;
  readonly missing: MissingFunctions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A value that can be sent, and the position of its outcome. */
interface Entry extends Pick<WriteRequest, 'findWithdrawal'> {
  readonly index: number;
  readonly channel: Channel<ModbusAddress>;
  readonly write: EncodedWrite;
}

/**
 * Writes values in the order given; no value is sent again once the device may have acted on it.
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
  for (const [index, { channel, value, findWithdrawal }] of requests.entries()) {
    const write = prepare(channel.address, value, options.settings);
    if ('message' in write) run.fail([index], { code: write.code, message: write.message }, 'NOT_SENT');
    else entries.push({ index, channel, write, findWithdrawal });
  }
  await run.writeAll(entries);
  return run.outcomes;
}

/** Tells what is sent of each value, and which unit would not be asked at present; does no I/O. */
export function prepareWrites(
  requests: readonly WriteRequest<ModbusAddress>[],
  { line, settings }: Pick<WriteOptions, 'line' | 'settings'>,
): CheckedWrites {
  const refused: { readonly index: number; readonly failure: ChannelFailure }[] = [];
  const values: PreparedValue[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const write = prepare(channel.address, value, settings);
    if ('message' in write) {
      refused.push({ index, failure: { code: write.code, message: write.message } });
      continue;
    }
    const [request] = planWrites([write]).flatMap((planned) => planned.requests);
    const refusal = request === undefined ? undefined : line.findRefusal(request);
    const notSent = refusal === undefined ? undefined : toChannelFailure(refusal);
    const isSingle = dataTypeOf(channel.address) === 'FLOAT32';
    values.push({ index, sent: decodeWrite(channel, write, value), isSingle, notSent });
  }
  return { refused, values };
}

function prepare(
  address: ModbusAddress,
  value: ChannelValue,
  settings: UnitSettingsTable,
): EncodedWrite | EncodeFault | ChannelFailure {
  const encoded = encodeWrite(address, value);
  if (encoded instanceof EncodeFault) return encoded;
  const rules = findWriteRules(address, settings.of(address.unitId));
  return findRuleFault(encoded, rules) ?? { ...encoded, rules };
}

class WriteRun {
  readonly outcomes: WriteOutcome[];
  readonly #options: WriteOptions;
  readonly #attempts: WriteAttempts;

  constructor(options: WriteOptions, count: number) {
    this.#options = options;
    this.#attempts = new WriteAttempts(options);
    this.outcomes = Array.from<WriteOutcome>({ length: count });
  }

  fail(indices: readonly number[], failure: ChannelFailure, outcome: FailedWriteOutcome): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const index of indices) this.outcomes[index] = { failure, outcome, timestampMs };
  }

  async writeAll(entries: readonly Entry[]): Promise<void> {
    for (const planned of planWrites(entries.map(({ write }) => write))) {
      await this.#writePlanned(
        planned,
        planned.indices.flatMap((position) => entries[position] ?? []),
      );
    }
  }

  async #writePlanned(planned: PlannedWrite, entries: readonly Entry[]): Promise<void> {
    const sender = new WriteSender({
      ...this.#options,
      attempts: this.#attempts,
      checkTurn: () => throwIfWithdrawn(entries),
    });
    const result = await sender.send(planned);
    if (entries.length > 1 && isRetriedAlone(planned, result)) {
      for (const entry of entries) await this.writeAll([entry]);
      return;
    }
    this.#record(entries, result);
  }

  #recordWord(
    { index, channel, write }: Entry,
    word: number,
    failure: ChannelFailure,
    outcome: FailedWriteOutcome,
  ): void {
    const timestampMs = this.#options.clock.epochMs();
    const value = decodeWord(channel, write, word);
    // The other bits of a register are not those of the channel.
    const isAsSent = outcome === 'REFUSED' && write.kind === 'BIT' && value === write.state;
    this.outcomes[index] = isAsSent ? { timestampMs } : { failure, outcome, taken: { value }, timestampMs };
  }

  #record(entries: readonly Entry[], result: WriteResult): void {
    const indices = entries.map(({ index }) => index);
    if (result.kind === 'REFUSED') {
      // A unit that ignores the address was not asked.
      const outcome = result.error instanceof AddressSuspended ? 'NOT_SENT' : 'REFUSED';
      return this.fail(indices, toChannelFailure(result.error), outcome);
    }
    if (result.kind === 'PARTLY_WRITTEN') return this.fail(indices, result.failure, 'UNKNOWN');
    if (result.kind === 'CHANGED') {
      for (const entry of entries) this.#recordWord(entry, result.word, result.failure, 'REFUSED');
      return;
    }
    if (result.kind === 'UNKNOWN' && result.word !== undefined) {
      for (const entry of entries) this.#recordWord(entry, result.word, result.failure, 'UNKNOWN');
      return;
    }
    if (result.kind !== 'WRITTEN') return this.fail(indices, result.failure, result.kind);
    const { timestampMs, isUnconfirmed, registerBefore } = result;
    const written = isUnconfirmed ? { timestampMs, isUnconfirmed } : { timestampMs };
    for (const { index, write } of entries) {
      const isBit = registerBefore !== undefined && write.kind === 'BIT';
      this.outcomes[index] = isBit ? { ...written, before: (registerBefore & write.mask) !== 0 } : written;
    }
  }
}

// Bits of one register alone would be refused as well.
function isRetriedAlone({ requests: [request] }: PlannedWrite, result: WriteResult): boolean {
  if (result.kind === 'NOT_SENT') return result.isWithdrawn;
  return result.kind === 'REFUSED' && hasWrittenNothing(result.error) && request?.functionCode !== 22;
}

function hasWrittenNothing(refusal: ExceptionAnswer | AddressSuspended): boolean {
  return refusal instanceof AddressSuspended || NOTHING_WRITTEN.has(refusal.exceptionCode);
}
