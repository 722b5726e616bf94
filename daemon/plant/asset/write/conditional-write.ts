import type { Clock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord, KnownValue } from '../../../channel/channel-record.ts';
import { toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { WriteCondition, WriteTerms } from '../../../channel/write-terms.ts';
import { toRecord, toSlot } from '../read/channel-slot.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';
import { toKnownValue } from '../read/known-values.ts';
import type { LastWrites } from './last-writes.ts';
import type { PreparedWrite } from './prepared-write.ts';
import { isSameText } from './same-text.ts';
import { findConditionFailure } from './write-conditions.ts';
import type { TextComparison } from './write-conditions.ts';
import { findRateFailure, findStepFailure, isWithin } from './write-limits.ts';

/** An asset as a condition sees it. */
export interface ConditionSource {
  readonly connection: DriverConnection;
  findChannel(name: string): Channel | undefined;
  read(names: readonly string[]): Promise<{ readonly records: readonly ChannelRecord[] }>;
}

/** What the conditions of an asset are judged with. */
export interface ConditionContext {
  /** Pid of the asset that is written. */
  readonly pid: string;
  readonly connection: DriverConnection;
  readonly findSource: (pid: string) => ConditionSource | undefined;
  readonly lastWrites: LastWrites;
  readonly clock: Clock;
}

/** A condition, and where its value comes from. */
interface Located {
  readonly asset: string;
  readonly condition: WriteCondition;
  /** Position among the channels that are read in the turn of the write; undefined when it was read before. */
  readonly position: number | undefined;
  readonly record: ChannelRecord | undefined;
}

const NO_TERMS: WriteTerms = {};
// A value of another line that waited longer with the write is no longer one of just before.
const LONGEST_WAIT_MS = 5000;

/** Judges what one write depends on: the values in the device, those of other devices, and the last write. */
export class WriteJudgement {
  /** Channels behind the connection of the write, to be read in its turn. */
  readonly channels: readonly Channel[];
  readonly #write: PreparedWrite;
  readonly #context: ConditionContext;
  readonly #conditions: readonly Located[];
  readonly #startMs: number;
  readonly #needsPresent: boolean;
  #forget: (() => void) | undefined;
  #present: KnownValue | undefined;

  private constructor(write: PreparedWrite, context: ConditionContext, conditions: readonly Located[]) {
    this.#write = write;
    this.#context = context;
    this.#conditions = conditions;
    this.#startMs = context.clock.monotonicMs();
    this.#needsPresent = needsPresent(write);
    const own = conditions.flatMap(({ asset, condition, position }) =>
      position === undefined ? [] : (context.findSource(asset)?.findChannel(condition.channel) ?? []),
    );
    this.channels = this.#needsPresent ? [write.channel, ...own] : own;
  }

  /** Prepares the judgement of a write; reads the conditions that lie behind other connections. Never rejects for a device. */
  static async begin(write: PreparedWrite, context: ConditionContext): Promise<WriteJudgement> {
    const { onlyIf = [] } = write.channel.write ?? NO_TERMS;
    let position = needsPresent(write) ? 1 : 0;
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
    return new WriteJudgement(write, context, await Promise.all(pending));
  }

  /** Whether nothing is read in the turn of the write, and nothing depends on when it is. */
  get isFree(): boolean {
    return this.channels.length === 0 && this.#conditions.length === 0;
  }

  /** What the channel held when it was judged; undefined when the judgement does not need it, or it could not be read. */
  get present(): KnownValue | undefined {
    return this.#present;
  }

  /**
   * Judges the readings of `channels`.
   *
   * @returns why the value may not be sent; undefined when it may
   */
  judge(readings: readonly Reading[]): ChannelFailure | undefined {
    const withdrawal = this.#write.findWithdrawal?.();
    if (withdrawal !== undefined) return withdrawal;
    const { clock } = this.#context;
    const records = this.channels.map((channel, index) => toConditionRecord(channel, readings[index], clock));
    if (this.#needsPresent) this.#present = toKnownValue(records[0]);
    const nowMs = clock.epochMs();
    const waitedMs = clock.monotonicMs() - this.#startMs;
    for (const { asset, condition, position, record } of this.#conditions) {
      if (position === undefined && waitedMs > LONGEST_WAIT_MS) {
        const message = `${asset} ${condition.channel} was read ${waitedMs} ms before the write obtained its lock`;
        const { channel } = condition;
        return { code: 'WRITE_CONDITION_UNKNOWN', message, condition: { asset, channel } };
      }
      const judged = position === undefined ? record : records[position];
      const judging = { nowMs, isSameText: this.#findComparison(asset, judged) };
      const failure = findConditionFailure({ asset, condition }, judged, judging);
      if (failure !== undefined) return failure;
    }
    return this.#needsPresent ? this.#judgePresent(records[0]) : undefined;
  }

  /**
   * Judges as `judge`, and notes the write where its rate is limited: it is sent next.
   *
   * @returns also why it cannot be noted
   */
  judgeAndNote(readings: readonly Reading[]): ChannelFailure | undefined {
    const failure = this.judge(readings);
    const { channel, value } = this.#write;
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

  /** Forgets the note of a write that changed nothing. */
  forget(): void {
    this.#forget?.();
  }

  #isPresent(present: ChannelValue, ifValue: ChannelValue): boolean {
    const { channel, precision } = this.#write;
    const isSame = isSameText({ channel, connection: this.#context.connection }, present, ifValue);
    return isSame ?? isWithin(0, present, ifValue, precision);
  }

  /** Returns how texts of a record are compared. */
  #findComparison(asset: string, record: ChannelRecord | undefined): TextComparison {
    const connection = this.#context.findSource(asset)?.connection;
    const channel = record?.channel;
    if (connection === undefined || channel === undefined) return () => undefined;
    return (shown, text) => isSameText({ channel, connection }, shown, text);
  }

  #judgePresent(record: ChannelRecord | undefined): ChannelFailure | undefined {
    const { channel, value, ifValue, precision } = this.#write;
    if (record === undefined || record.failure !== undefined) {
      const reason = record?.failure?.message ?? 'no reading';
      return { code: 'WRITE_VALUE_UNKNOWN', message: `cannot read the current value: ${reason}` };
    }
    const { value: present } = record;
    if (ifValue !== undefined && !this.#isPresent(present, ifValue)) {
      const [found, wanted] = [present, ifValue].map((each) => formatValue(channel.valueType, each));
      return { code: 'WRITE_VALUE_CHANGED', message: `the current value is ${found}, not ${wanted}` };
    }
    const terms = channel.write ?? NO_TERMS;
    const { pid, lastWrites } = this.#context;
    const isRated = terms.maximumChangePerSecond !== undefined;
    const place = { asset: pid, channel: channel.name };
    const earlier = isRated ? lastWrites.find(place, channel.valueType) : undefined;
    return (
      findStepFailure(terms, value, present, precision) ??
      findRateFailure(terms, value, { present, earlier }, precision)
    );
  }
}

function needsPresent({ channel: { write }, ifValue }: PreparedWrite): boolean {
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
