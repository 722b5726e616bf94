import { Semaphore } from '../base/semaphore.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure, ChannelRecord, KnownValue } from '../channel/channel-record.ts';
import { isChecking } from '../channel/checking-driver.ts';
import { ConnectionError, toChannelFailure } from '../channel/driver-errors.ts';
import type { Reading, WriteOutcome, WriteRequest } from '../channel/driver.ts';
import type { ChannelValue } from '../channel/value-type.ts';
import { WriteJudgement } from './conditional-write.ts';
import type { ConditionContext } from './conditional-write.ts';
import type { KnownValues } from './known-values.ts';
import { isConditional, prepareWrite } from './prepared-write.ts';
import type { ChannelWrite, PreparedWrite } from './prepared-write.ts';
import { ConversionFault, createScaling } from './scaling.ts';
import { readBack } from './write-verification.ts';

interface AssetWriterOptions extends ConditionContext {
  readonly scaleOnWrite: boolean;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly known: KnownValues;
}

interface WriteOptions {
  /** Nothing is sent: what the writes depend on is read, and the records tell what would happen. */
  readonly isDryRun: boolean;
  /** Runs what needs the device, or refuses it. */
  readonly occupy: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What became of one write; with neither failure nor outcome it would be sent. */
interface WriteResult {
  readonly outcome?: WriteOutcome;
  readonly isVerified?: boolean;
  readonly readBack?: ChannelValue;
  /** What the channel held before, as far as it is known. */
  readonly before?: KnownValue | undefined;
}

/** A write that may be sent, and its position among those asked for. */
interface Entry {
  readonly position: number;
  readonly write: PreparedWrite;
}

/** Writes channels of one asset, each under its own terms. */
export class AssetWriter {
  readonly #options: AssetWriterOptions;
  // Two writes of one channel at a time would each be verified by the value of the other.
  readonly #turns = new Map<string, Semaphore>();

  constructor(options: AssetWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes in the order given. Values whose channels have no terms go to the driver together where they follow one another.
   *
   * A write that is refused or not sent does not end the others; after one whose outcome is not known nothing more is sent.
   *
   * @returns one record per write, in the same order
   */
  async write(
    writes: readonly ChannelWrite[],
    { isDryRun, occupy }: WriteOptions,
  ): Promise<readonly ChannelRecord[]> {
    const { channels, scaleOnWrite } = this.#options;
    const results = new Map<number, WriteResult>();
    const entries: Entry[] = [];
    for (const [position, asked] of writes.entries()) {
      const write = prepareWrite(channels.get(asked.name), asked, scaleOnWrite);
      if ('code' in write) results.set(position, this.#notSent(write));
      else entries.push({ position, write });
    }
    if (entries.length > 0) await occupy(() => this.#writeAll(entries, results, isDryRun));
    return writes.map((asked, position) => this.#toRecord(asked, results.get(position) ?? {}, isDryRun));
  }

  async #writeAll(
    entries: readonly Entry[],
    results: Map<number, WriteResult>,
    isDryRun: boolean,
  ): Promise<void> {
    let isHeldBack = false;
    for (const group of toGroups(entries)) {
      const outcomes: readonly WriteResult[] = isHeldBack
        ? group.map(() => this.#notSent(HELD_BACK))
        : await this.#writeGroup(group, isDryRun);
      for (const [index, { position }] of group.entries()) {
        const result = outcomes[index] ?? {};
        results.set(position, result);
        this.#noteWritten(group[index]?.write, result);
        isHeldBack ||= result.outcome?.failure !== undefined && isOpen(result.outcome);
      }
    }
  }

  async #writeGroup(group: readonly Entry[], isDryRun: boolean): Promise<readonly WriteResult[]> {
    const [first] = group;
    if (first !== undefined && isConditional(first.write)) {
      const { write } = first;
      const work = (): Promise<WriteResult> => (isDryRun ? this.#try(write) : this.#writeOne(write));
      return [await this.#turnOf(write.channel.name).run(undefined, work)];
    }
    if (isDryRun) return this.#check(group.map(({ write }) => write));
    const known = group.map(({ write }) => this.#options.known.find(write.channel.name));
    const outcomes = await this.#send(group.map(({ write }) => toRequest(write)));
    return group.map(({ write }, index) => {
      const outcome = outcomes[index] ?? this.#unanswered();
      return { outcome: toKnown(outcome), before: readBefore(write, outcome) ?? known[index] };
    });
  }

  // A write that may have been carried out, and is no trial.
  #noteWritten(write: PreparedWrite | undefined, { outcome, readBack: value }: WriteResult): void {
    if (write === undefined || outcome === undefined) return;
    const isSent = outcome.failure === undefined || outcome.outcome === 'UNKNOWN' || value !== undefined;
    if (!isSent) return;
    const { timestampMs } = outcome;
    this.#options.known.note(write.channel.name, value === undefined ? undefined : { value, timestampMs });
  }

  async #writeOne(write: PreparedWrite): Promise<WriteResult> {
    const { connection, known } = this.#options;
    const { channel } = write;
    const withdrawal = write.findWithdrawal?.();
    if (withdrawal !== undefined) return this.#notSent(withdrawal);
    const last = known.find(channel.name);
    const judgement = await WriteJudgement.begin(write, this.#options);
    const request = toRequest(write);
    const outcome = judgement.isFree
      ? await this.#sendOne(request)
      : await this.#guard(() =>
          connection.writeIf({
            ...request,
            conditions: judgement.channels,
            judge: (readings) => judgement.judgeAndNote(readings),
          }),
        );
    const isUnchanged = outcome.failure !== undefined && outcome.outcome !== 'UNKNOWN';
    if (isUnchanged) judgement.forget();
    const verification = channel.write?.verify;
    const before = judgement.present ?? readBefore(write, outcome) ?? last;
    if (isUnchanged || verification === undefined) return { outcome: toKnown(outcome), before };
    const found = await readBack(channel, { expected: write.value, verification }, this.#options);
    return { ...judgeReadBack(outcome, found), before };
  }

  async #try(write: PreparedWrite): Promise<WriteResult> {
    const { connection } = this.#options;
    const withdrawal = write.findWithdrawal?.();
    if (withdrawal !== undefined) return this.#notSent(withdrawal);
    const judgement = await WriteJudgement.begin(write, this.#options);
    let readings: readonly Reading[] = [];
    try {
      if (judgement.channels.length > 0) {
        readings = await connection.read(connection.prepareRead(judgement.channels));
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return this.#notSent(toChannelFailure(error));
    }
    const failure = judgement.judge(readings);
    if (failure !== undefined) return this.#notSent(failure);
    const [result = {}] = await this.#check([write]);
    return result;
  }

  /** Finds what the driver would not send. */
  async #check(writes: readonly PreparedWrite[]): Promise<readonly WriteResult[]> {
    const { connection } = this.#options;
    const withdrawals = writes.map(({ findWithdrawal }) => findWithdrawal?.());
    let failures: readonly (ChannelFailure | undefined)[];
    try {
      const driver = connection.find(isChecking);
      // A driver that does not know has to be connected all the same, as for the write.
      failures = await connection.call(
        (signal) => driver?.checkWrites(writes.map(toRequest), signal) ?? Promise.resolve([]),
      );
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const failure = toChannelFailure(error);
      failures = writes.map(() => failure);
    }
    return writes.map((_, index) => {
      const failure = withdrawals[index] ?? failures[index];
      return failure === undefined ? {} : this.#notSent(failure);
    });
  }

  async #sendOne(request: WriteRequest): Promise<WriteOutcome> {
    const [outcome] = await this.#send([request]);
    return outcome ?? this.#unanswered();
  }

  async #send(requests: readonly WriteRequest[]): Promise<readonly WriteOutcome[]> {
    const { connection } = this.#options;
    const answered = await this.#guard(async () => ({ outcomes: await connection.write(requests) }));
    return requests.map((_, index) =>
      'outcomes' in answered ? (answered.outcomes[index] ?? this.#unanswered()) : answered,
    );
  }

  // What a connection throws was not sent, unless the driver itself failed.
  async #guard<T>(work: () => Promise<T>): Promise<T | WriteOutcome> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const timestampMs = this.#options.clock.epochMs();
      const outcome = error.mayBeDone ? 'UNKNOWN' : 'NOT_SENT';
      return { failure: toChannelFailure(error), outcome, timestampMs };
    }
  }

  #turnOf(name: string): Semaphore {
    const known = this.#turns.get(name);
    if (known !== undefined) return known;
    const turn = new Semaphore();
    this.#turns.set(name, turn);
    return turn;
  }

  #unanswered(): WriteOutcome {
    return { failure: UNANSWERED, outcome: 'UNKNOWN', timestampMs: this.#options.clock.epochMs() };
  }

  #notSent(failure: ChannelFailure): WriteResult {
    return { outcome: { failure, outcome: 'NOT_SENT', timestampMs: this.#options.clock.epochMs() } };
  }

  #toRecord(asked: ChannelWrite, result: WriteResult, isDryRun: boolean): ChannelRecord {
    const { name, valueType, value } = asked;
    const { outcome, isVerified = false, readBack: shown, before: earlier } = result;
    const channel = this.#options.channels.get(name);
    const tried = isDryRun ? { isDryRun } : {};
    const before = earlier === undefined ? {} : { before: earlier };
    const held = { ...(shown === undefined ? {} : { readBack: shown }), ...before };
    if (outcome?.failure !== undefined) {
      const { failure, outcome: what, timestampMs } = outcome;
      return {
        channel,
        name,
        failure,
        timestampMs,
        asked: { valueType, value },
        outcome: what,
        ...held,
        ...tried,
      };
    }
    if (channel === undefined) throw new RangeError(`no channel is called "${name}"`);
    const { timestampMs = this.#options.clock.epochMs() } = outcome ?? {};
    if (outcome === undefined) return { channel, name, value, timestampMs, ...tried };
    const what = isVerified ? 'VERIFIED' : 'ACKNOWLEDGED';
    return { channel, name, value, timestampMs, outcome: what, ...held };
  }
}

const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver gave no outcome' };
const HELD_BACK: ChannelFailure = {
  code: 'WRITE_HELD_BACK',
  message: 'the outcome of an earlier write of the request is not known; not sent',
};
const UNCONFIRMED: ChannelFailure = {
  code: 'WRITE_UNCONFIRMED',
  message: 'it was sent, and the device confirms nothing; outcome unknown',
};

/** Splits writes into those that are sent together: values without terms that follow one another, and each other alone. */
function toGroups(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups: Entry[][] = [];
  let open: Entry[] | undefined;
  for (const entry of entries) {
    if (isConditional(entry.write)) {
      groups.push([entry]);
      open = undefined;
    } else if (open === undefined) {
      open = [entry];
      groups.push(open);
    } else {
      open.push(entry);
    }
  }
  return groups;
}

function toRequest({ channel, raw, findWithdrawal }: PreparedWrite): WriteRequest {
  return { channel, value: raw, findWithdrawal };
}

// Where nothing ever confirms a write, the next one is not worse off.
function isOpen({ outcome, failure }: Extract<WriteOutcome, { readonly failure: ChannelFailure }>): boolean {
  return outcome === 'UNKNOWN' && failure !== UNCONFIRMED;
}

// A write of bits may have read the others of their register.
function readBefore({ channel }: PreparedWrite, outcome: WriteOutcome): KnownValue | undefined {
  if (outcome.failure !== undefined || outcome.before === undefined) return undefined;
  const { before, timestampMs } = outcome;
  const value = createScaling(channel).toValue(before);
  return value instanceof ConversionFault ? undefined : { value, timestampMs };
}

function toKnown(outcome: WriteOutcome): WriteOutcome {
  if (outcome.isUnconfirmed !== true) return outcome;
  return { failure: UNCONFIRMED, outcome: 'UNKNOWN', timestampMs: outcome.timestampMs };
}

function judgeReadBack(outcome: WriteOutcome, found: Awaited<ReturnType<typeof readBack>>): WriteResult {
  const { timestampMs } = outcome;
  if (found.failure !== undefined) {
    if (outcome.failure !== undefined) return { outcome };
    const reason = found.failure.message;
    const message = `it was sent, and cannot be read back: ${reason}; outcome unknown`;
    return { outcome: { failure: { code: 'WRITE_NOT_VERIFIED', message }, outcome: 'UNKNOWN', timestampMs } };
  }
  const { isAsWritten, value } = found;
  if (isAsWritten) return { outcome: { timestampMs: found.timestampMs }, isVerified: true, readBack: value };
  // The device may still carry out what it did not confirm.
  if (outcome.failure !== undefined) return { outcome, readBack: value };
  const message = 'the device holds another value than the one that was written';
  const failure = { code: 'WRITE_READ_BACK_DIFFERS', message };
  return { outcome: { failure, outcome: 'REFUSED', timestampMs: found.timestampMs }, readBack: value };
}
