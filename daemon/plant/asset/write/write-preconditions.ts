import { createReason, quoteError } from '../../../base/fault-reason.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import type { Clock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord, TimedValue } from '../../../channel/channel-record.ts';
import { toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { WriteCondition, WriteTerms } from '../../../channel/write-terms.ts';
import { toRecord, toSlot } from '../read/channel-slot.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';
import { toTimedValue } from '../read/last-known-values.ts';
import type { LastWrites } from './last-writes.ts';
import type { AskedWrite, PreparedWrite } from './prepared-write.ts';
import { isSameText } from './same-text.ts';
import { describeEarlyReading, findConditionFailure } from './write-conditions.ts';
import type { TextComparison } from './write-conditions.ts';
import { findRateFailure, findStepFailure, isWithin } from './write-limits.ts';

/** The part of an asset that conditions use. */
export interface ConditionSource {
  readonly connection: DriverConnection;
  findChannel(name: string): Channel | undefined;
  read(names: readonly string[]): Promise<{ readonly records: readonly ChannelRecord[] }>;
}

/** Context for the conditions of an asset. */
export interface ConditionContext {
  /** Pid of the asset that is written. */
  readonly pid: string;
  readonly connection: DriverConnection;
  readonly findSource: (pid: string) => ConditionSource | undefined;
  readonly lastWrites: LastWrites;
  readonly clock: Clock;
}

/** A condition, and the source of its value. */
interface Located {
  readonly asset: string;
  readonly condition: WriteCondition;
  /** Position among the channels that are read while the write holds the connection; undefined if read before. */
  readonly position: number | undefined;
  readonly record: ChannelRecord | undefined;
}

const NO_TERMS: WriteTerms = {};
// A value of another connection that is older than this no longer counts as read right before the write.
const MAXIMUM_WAIT_MS = 5000;

/** Evaluates the preconditions of one write: values on this and other devices, and the previous write. */
export class WritePreconditions {
  /** Channels on the connection of the write, read while it holds the connection. */
  readonly channels: readonly Channel[];
  readonly #context: ConditionContext;
  readonly #conditions: readonly Located[];
  readonly #startMs: number;
  readonly #needsCurrent: boolean;
  #forget: (() => void) | undefined;
  #current: TimedValue | undefined;

  private constructor(write: AskedWrite, context: ConditionContext, conditions: readonly Located[]) {
    this.#context = context;
    this.#conditions = conditions;
    this.#startMs = context.clock.monotonicMs();
    this.#needsCurrent = needsCurrent(write);
    const own = conditions.flatMap(({ asset, condition, position }) =>
      position === undefined ? [] : (context.findSource(asset)?.findChannel(condition.channel) ?? []),
    );
    this.channels = this.#needsCurrent ? [write.channel, ...own] : own;
  }

  /** Prepares the preconditions of a write; reads conditions on other connections. Never rejects for a device. */
  static async prepare(write: AskedWrite, context: ConditionContext): Promise<WritePreconditions> {
    const { onlyIf = [] } = write.channel.write ?? NO_TERMS;
    let position = needsCurrent(write) ? 1 : 0;
    const pending = onlyIf.map((condition): Promise<Located> => {
      const asset = condition.asset ?? context.pid;
      const source = context.findSource(asset);
      const channel = source?.findChannel(condition.channel);
      if (
        source?.connection === context.connection &&
        channel !== undefined &&
        'scaling' in toSlot(channel)
      ) {
        position += 1;
        return Promise.resolve({ asset, condition, position: position - 1, record: undefined });
      }
      return readBefore(source, condition).then((record) => ({
        asset,
        condition,
        position: undefined,
        record,
      }));
    });
    return new WritePreconditions(write, context, await Promise.all(pending));
  }

  /** True if the write has no conditions and needs no read while it holds the connection. */
  get isUnconditional(): boolean {
    return this.channels.length === 0 && this.#conditions.length === 0;
  }

  /** Channel value used by the evaluation; undefined if not needed or unreadable. */
  get current(): TimedValue | undefined {
    return this.#current;
  }

  /**
   * Evaluates the readings of `channels` for the prepared value.
   *
   * @returns the reason not to send the value; undefined: send it
   */
  evaluate(readings: readonly Reading[], write: PreparedWrite): ChannelFailure | undefined {
    const cancellation = write.findCancellation?.();
    if (cancellation !== undefined) return cancellation;
    const { clock } = this.#context;
    const records = this.channels.map((channel, index) => toConditionRecord(channel, readings[index], clock));
    if (this.#needsCurrent) this.#current = toTimedValue(records[0]);
    const nowMs = clock.epochMs();
    const waitedMs = clock.monotonicMs() - this.#startMs;
    for (const { asset, condition, position, record } of this.#conditions) {
      if (position === undefined && waitedMs > MAXIMUM_WAIT_MS) {
        return describeEarlyReading({ asset, channel: condition.channel }, waitedMs);
      }
      const evaluated = position === undefined ? record : records[position];
      const evaluation = { nowMs, isSameText: this.#findComparison(asset, evaluated) };
      const failure = findConditionFailure({ asset, condition }, evaluated, evaluation);
      if (failure !== undefined) return failure;
    }
    return this.#needsCurrent ? this.#evaluateCurrent(records[0], write) : undefined;
  }

  /**
   * Evaluates as `evaluate`, and records a rate-limited write: it is sent next.
   *
   * @returns as `evaluate`; also the failure to record it
   */
  evaluateAndRecord(readings: readonly Reading[], write: PreparedWrite): ChannelFailure | undefined {
    const failure = this.evaluate(readings, write);
    const { channel, value } = write;
    if (failure !== undefined || channel.write?.maximumChangePerSecond === undefined) return failure;
    const { pid, lastWrites } = this.#context;
    try {
      this.#forget = lastWrites.note({ asset: pid, channel: channel.name }, value);
      return undefined;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return toChannelFailure(error);
    }
  }

  /** Removes the record of a write that changed nothing. */
  forget(): void {
    this.#forget?.();
  }

  #isCurrent(current: ChannelValue, ifValue: ChannelValue, { channel, precision }: PreparedWrite): boolean {
    const isSame = isSameText({ channel, connection: this.#context.connection }, current, ifValue);
    return isSame ?? isWithin(0, current, ifValue, precision);
  }

  /** Returns the comparison for texts of a record. */
  #findComparison(asset: string, record: ChannelRecord | undefined): TextComparison {
    const connection = this.#context.findSource(asset)?.connection;
    const channel = record?.channel;
    if (connection === undefined || channel === undefined) return () => undefined;
    return (shown, text) => isSameText({ channel, connection }, shown, text);
  }

  #evaluateCurrent(record: ChannelRecord | undefined, write: PreparedWrite): ChannelFailure | undefined {
    const { channel, value, ifValue, precision } = write;
    if (record === undefined || record.failure !== undefined) {
      const begin = createReason(PLANT_FAILURES, 'CURRENT_VALUE_UNREADABLE', {});
      return createFailure('WRITE_VALUE_UNKNOWN', begin, ...explainMissing(record?.failure));
    }
    const { value: current } = record;
    if (ifValue !== undefined && !this.#isCurrent(current, ifValue, write)) {
      const [found, wanted] = [current, ifValue].map((each) => formatValue(channel.valueType, each));
      const values = { found: found ?? '', wanted: wanted ?? '' };
      return createFailure(
        'WRITE_VALUE_CHANGED',
        createReason(PLANT_FAILURES, 'CURRENT_VALUE_OTHER', values),
      );
    }
    const terms = channel.write ?? NO_TERMS;
    const { pid, lastWrites } = this.#context;
    const isRated = terms.maximumChangePerSecond !== undefined;
    const key = { asset: pid, channel: channel.name };
    const earlier = isRated ? lastWrites.find(key, channel.valueType) : undefined;
    return (
      findStepFailure(terms, value, current, precision) ??
      findRateFailure(terms, value, { current, earlier }, precision)
    );
  }
}

function needsCurrent({ channel: { write }, ifValue }: AskedWrite): boolean {
  const terms = write ?? NO_TERMS;
  return [terms.maximumStep, terms.maximumChangePerSecond, ifValue].some((each) => each !== undefined);
}

async function readBefore(
  source: ConditionSource | undefined,
  { channel }: WriteCondition,
): Promise<ChannelRecord | undefined> {
  try {
    return (await source?.read([channel]))?.records[0];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { name: channel, failure: toChannelFailure(error), timestampMs: 0 };
  }
}

function toConditionRecord(channel: Channel, reading: Reading | undefined, clock: Clock): ChannelRecord {
  const slot = toSlot(channel);
  const timestampMs = clock.epochMs();
  if ('failure' in slot) return { ...slot, timestampMs };
  const failure = { code: 'DRIVER_FAULT', message: 'the driver returned no reading' } as const;
  return toRecord(slot, reading ?? { failure, timestampMs });
}

function explainMissing(failure: ChannelFailure | undefined): readonly FaultReason[] {
  if (failure === undefined) return [createReason(PLANT_FAILURES, 'CURRENT_VALUE_MISSING', {})];
  return failure.reasons ?? [quoteError(failure)];
}
