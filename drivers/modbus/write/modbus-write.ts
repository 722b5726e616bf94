import { toFailure } from '../../../daemon/channel/call-failure.ts';
import { ConnectionError, toChannelFailure } from '../../../daemon/channel/driver-errors.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type {
  Attempt,
  AttemptResult,
  PreparedValue,
  PreparedWrites,
  RefusedValue,
  WriteOutcome,
  WriteRequest,
  WriteStep,
} from '../../../daemon/channel/write-step.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { BusyRetries, isBusy } from './busy-pauses.ts';
import { EncodeFault } from '../value/codec.ts';
import { decodeField, decodeWord, decodeWrite, encodeWrite } from './encode-write.ts';
import type { UnsupportedFunctions } from '../health/unsupported-functions.ts';
import { dataTypeOf } from '../modbus-address.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import {
  AddressSuspended,
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
  ILLEGAL_FUNCTION,
} from '../modbus-errors.ts';
import type { ExchangingLine } from '../link/exchange.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import { OUTCOME_UNKNOWN_CODE } from './write-attempt.ts';
import type { WriteResult } from './write-attempt.ts';
import { WriteSender } from './write-sender.ts';
import type { SendResult } from './write-sender.ts';
import { planWrites } from './write-plan.ts';
import type { EncodedWrite, PlannedWrite } from './write-plan.ts';
import { findRuleFault, findWriteRules } from './write-rules.ts';

// Exceptions by which a unit reports that it checked the request and did nothing (V1.1b3, 6.11 and 6.12, state
// diagrams).
const NOTHING_WRITTEN: ReadonlySet<number> = new Set([
  ILLEGAL_FUNCTION,
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
]);

interface WriteOptions {
  /** Line that sends the writes. */
  readonly line: ExchangingLine;
  readonly settings: UnitSettingsTable;
  readonly unsupported: UnsupportedFunctions;
  readonly clock: { epochMs(): number };
}

interface StepOptions extends WriteOptions {
  /** Shared by all writes that were prepared together. */
  readonly retries: BusyRetries;
}

/** A valid value and its index among the requests. */
interface Entry {
  readonly index: number;
  readonly channel: Channel<ModbusAddress>;
  readonly write: EncodedWrite;
}

/** Encodes each value and finds units that would refuse it now. Performs no I/O. */
export function prepareWrites(
  requests: readonly WriteRequest<ModbusAddress>[],
  options: WriteOptions,
): PreparedWrites {
  const refused: RefusedValue[] = [];
  const values: PreparedValue[] = [];
  const entries: Entry[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const write = encode(channel.address, value, options.settings);
    if ('message' in write) {
      refused.push({ index, failure: { code: write.code, message: write.message } });
      continue;
    }
    const [request] = planWrites([write]).flatMap((planned) => planned.requests);
    const refusal = request === undefined ? undefined : options.line.findRefusal(request);
    const notSent = refusal === undefined ? undefined : toChannelFailure(refusal);
    const isSingle = dataTypeOf(channel.address) === 'FLOAT32';
    values.push({ index, sent: decodeWrite(channel, write, value), isSingle, notSent });
    entries.push({ index, channel, write });
  }
  const retries = new BusyRetries(options.settings);
  return { refused, values, steps: toSteps(entries, { ...options, retries }) };
}

/** Returns a step of `prepareWrites` for another line. */
export function moveStep(step: WriteStep, line: ExchangingLine): WriteStep {
  return step instanceof ModbusStep ? step.moveTo(line) : step;
}

function encode(
  address: ModbusAddress,
  value: ChannelValue,
  settings: UnitSettingsTable,
): EncodedWrite | EncodeFault | ChannelFailure {
  const encoded = encodeWrite(address, value);
  if (encoded instanceof EncodeFault) return encoded;
  const rules = findWriteRules(address, settings.of(address.unitId));
  return findRuleFault(encoded, rules) ?? { ...encoded, rules };
}

function toSteps(entries: readonly Entry[], options: StepOptions): readonly WriteStep[] {
  return planWrites(entries.map(({ write }) => write)).map((planned) => {
    const own = planned.indices.flatMap((position) => entries[position] ?? []);
    return new ModbusStep(planned, own, options);
  });
}

/** Values written together, or one value written in parts. */
class ModbusStep implements WriteStep {
  readonly indices: readonly number[];
  readonly unknownCode = OUTCOME_UNKNOWN_CODE;
  readonly #planned: PlannedWrite;
  readonly #entries: readonly Entry[];
  readonly #options: StepOptions;

  constructor(planned: PlannedWrite, entries: readonly Entry[], options: StepOptions) {
    this.indices = entries.map(({ index }) => index);
    this.#planned = planned;
    this.#entries = entries;
    this.#options = options;
  }

  async send(attempt: Attempt): Promise<AttemptResult> {
    const { line, unsupported } = this.#options;
    const result = await new WriteSender({ line, unsupported, attempt }).send(this.#planned);
    const againMs = this.#findRetryMs(result);
    switch (result.kind) {
      case 'WRITTEN':
        return { kind: 'ANSWERED', outcomes: this.#entries.map((entry) => toDone(entry, result)) };
      case 'CHANGED': {
        const timestampMs = this.#options.clock.epochMs();
        const outcomes = this.#entries.map((entry) => toTaken(entry, result, timestampMs));
        return { kind: 'ANSWERED', outcomes };
      }
      case 'PARTLY_WRITTEN': {
        const { failure, rest } = result;
        if (againMs === undefined) return { kind: 'PARTLY_DONE', failure };
        const step = new ModbusStep(rest, this.#entries, this.#options);
        return { kind: 'PARTLY_DONE', failure, rest: { step, afterMs: againMs } };
      }
      case 'REFUSED': {
        const { error } = result;
        const parts = NOTHING_WRITTEN.has(error.exceptionCode) ? this.#parts() : undefined;
        return {
          kind: 'NOTHING_DONE',
          failure: toChannelFailure(error),
          outcome: 'REFUSED',
          parts,
          againMs,
        };
      }
      case 'NOT_SENT': {
        const { error } = result;
        if (error instanceof ConnectionError) return { kind: 'LOST', error };
        const parts = error instanceof AddressSuspended ? this.#parts() : undefined;
        return {
          kind: 'NOTHING_DONE',
          failure: toFailure(error, attempt.signal),
          outcome: 'NOT_SENT',
          parts,
        };
      }
    }
  }

  moveTo(line: ExchangingLine): WriteStep {
    const retries = new BusyRetries(this.#options.settings);
    return new ModbusStep(this.#planned, this.#entries, { ...this.#options, line, retries });
  }

  only(positions: readonly number[]): readonly WriteStep[] {
    if (positions.length === this.#entries.length) return [this];
    return toSteps(
      positions.flatMap((position) => this.#entries[position] ?? []),
      this.#options,
    );
  }

  // Single bits of one register would be refused as well.
  #parts(): readonly (readonly number[])[] | undefined {
    const areBits = this.#planned.requests.some(({ functionCode }) => functionCode === 22);
    return areBits ? undefined : this.#entries.map((_, position) => [position]);
  }

  #findRetryMs(result: SendResult): number | undefined {
    const { retries } = this.#options;
    const { requests, written } = this.#planned;
    const [request] = requests;
    if (request === undefined) return undefined;
    const wasBusy = 'error' in result && isBusy(result.error);
    const hasTaken = result.kind === 'PARTLY_WRITTEN' && result.rest.written !== written;
    if (!wasBusy || hasTaken) retries.recordReady(request.unitId);
    return wasBusy ? retries.take(request.unitId) : undefined;
  }
}

function toDone(
  { channel, write }: Entry,
  { timestampMs, isUnconfirmed, registersBefore }: Extract<WriteResult, { readonly kind: 'WRITTEN' }>,
): WriteOutcome {
  const written = isUnconfirmed ? { timestampMs, isUnconfirmed } : { timestampMs };
  if (registersBefore === undefined) return written;
  if (write.kind === 'BIT')
    return { ...written, before: (registersBefore.readUInt16BE() & write.mask) !== 0 };
  return write.kind === 'FIELD'
    ? { ...written, before: decodeField(channel.address, write, registersBefore) }
    : written;
}

/** True if a register has the bits of a write, whatever the others. */
function hasBitsOf(write: EncodedWrite, word: number): boolean {
  if (write.kind === 'BIT') return ((word & write.mask) !== 0) === write.state;
  if (write.kind !== 'FIELD' || write.mask.length > 2) return false;
  return (word & write.mask.readUInt16BE()) === write.bits.readUInt16BE();
}

function toTaken(
  { channel, write }: Entry,
  { failure, outcome, word }: Extract<WriteResult, { readonly kind: 'CHANGED' }>,
  timestampMs: number,
): WriteOutcome {
  const value = decodeWord(channel, write, word);
  // The other bits of the register do not belong to the channel.
  const isAsSent = outcome === 'REFUSED' && hasBitsOf(write, word);
  return isAsSent ? { timestampMs } : { failure, outcome, taken: { value }, timestampMs };
}
