import { Semaphore } from '../base/semaphore.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../channel/channel-record.ts';
import { isChecking } from '../channel/checking-driver.ts';
import type { CheckedWrites } from '../channel/checking-driver.ts';
import { ConnectionError, toChannelFailure } from '../channel/driver-errors.ts';
import type { Reading, WriteOutcome, WriteRequest } from '../channel/driver.ts';
import { HELD_BACK } from '../channel/write-run.ts';
import { WriteJudgement } from './conditional-write.ts';
import type { ConditionContext } from './conditional-write.ts';
import type { KnownValues } from './known-values.ts';
import { isConditional, prepareWrite, scaleWrite, toRequest } from './prepared-write.ts';
import type { ChannelWrite, PreparedWrite, ScaledWrite } from './prepared-write.ts';
import { findEnding, untilEnding } from './write-ending.ts';
import {
  findBefore,
  findTaken,
  hasChangedNothing,
  isOpen,
  judgeReadBack,
  toKnown,
  toWriteRecord,
  UNANSWERED,
} from './write-result.ts';
import type { WriteResult } from './write-result.ts';
import { readBack } from './write-verification.ts';

interface AssetWriterOptions extends ConditionContext {
  readonly scaleOnWrite: boolean;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly known: KnownValues;
}

interface WriteOptions {
  /** Nothing is sent: what the writes depend on is read, and the records tell what would happen. */
  readonly isDryRun: boolean;
  /** Aborts with a {WriteEnded} when no more is to be sent; what is on its way is waited for. Absent: there is no end. */
  readonly ending?: AbortSignal | undefined;
  /** Runs what needs the device, or refuses it. */
  readonly occupy: <T>(work: () => Promise<T>) => Promise<T>;
}

type WriteRun = Pick<WriteOptions, 'isDryRun' | 'ending'>;

/** A value that can be scaled, and its position among those asked for. */
interface ScaledEntry {
  readonly position: number;
  readonly write: ScaledWrite;
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
   * When `ending` aborts, nothing is read back any more, and what was not sent is not.
   *
   * @returns one record per write, in the same order
   */
  async write(
    writes: readonly ChannelWrite[],
    { isDryRun, ending, occupy }: WriteOptions,
  ): Promise<readonly ChannelRecord[]> {
    const { channels, scaleOnWrite } = this.#options;
    const results = new Map<number, WriteResult>();
    const scaled: ScaledEntry[] = [];
    for (const [position, asked] of writes.entries()) {
      const findWithdrawal = (): ChannelFailure | undefined => findEnding(ending) ?? asked.findWithdrawal?.();
      const write = scaleWrite(channels.get(asked.name), { ...asked, findWithdrawal }, scaleOnWrite);
      if ('code' in write) results.set(position, this.#notSent(write));
      else scaled.push({ position, write });
    }
    if (scaled.length > 0) await occupy(() => this.#writeAll(scaled, results, { isDryRun, ending }));
    const nowMs = this.#options.clock.epochMs();
    return writes.map((asked, position) => {
      const channel = channels.get(asked.name);
      return toWriteRecord(asked, results.get(position) ?? {}, { channel, isDryRun, nowMs });
    });
  }

  async #writeAll(
    scaled: readonly ScaledEntry[],
    results: Map<number, WriteResult>,
    run: WriteRun,
  ): Promise<void> {
    const entries: Entry[] = [];
    const prepared = await this.#prepare(
      scaled.map(({ write }) => write),
      run,
    );
    for (const [index, { position }] of scaled.entries()) {
      const write = prepared[index];
      if (write === undefined) continue;
      if ('code' in write) results.set(position, this.#notSent(write));
      else entries.push({ position, write });
    }
    let isHeldBack = false;
    for (const group of toGroups(entries)) {
      const stop = findEnding(run.ending) ?? (isHeldBack ? HELD_BACK : undefined);
      const outcomes: readonly WriteResult[] =
        stop === undefined ? await this.#writeGroup(group, run) : group.map(() => this.#notSent(stop));
      for (const [index, { position }] of group.entries()) {
        const result = { sent: group[index]?.write.written, ...outcomes[index] };
        results.set(position, result);
        this.#noteWritten(group[index]?.write, result);
        isHeldBack ||= result.outcome !== undefined && isOpen(result.outcome);
      }
    }
  }

  async #writeGroup(group: readonly Entry[], run: WriteRun): Promise<readonly WriteResult[]> {
    const [first] = group;
    if (first !== undefined && isConditional(first.write)) return [await this.#writeInTurn(first.write, run)];
    if (run.isDryRun) return group.map(({ write }) => this.#tryPrepared(write));
    const known = group.map(({ write }) => this.#options.known.find(write.channel.name));
    const outcomes = await this.#send(group.map(({ write }) => toRequest(write)));
    return group.map(({ write }, index) => {
      const outcome = outcomes[index] ?? this.#unanswered();
      const before = findBefore(write, outcome) ?? known[index];
      return { outcome: toKnown(outcome), readBack: findTaken(write, outcome), before };
    });
  }

  async #writeInTurn(write: PreparedWrite, { isDryRun, ending }: WriteRun): Promise<WriteResult> {
    const turn = this.#turnOf(write.channel.name);
    try {
      return await turn.run(ending, () =>
        isDryRun ? this.#try(write, ending) : this.#writeOne(write, ending),
      );
    } catch (error) {
      const ended = error === ending?.reason ? findEnding(ending) : undefined;
      if (ended === undefined) throw error;
      return this.#notSent(ended);
    }
  }

  // A write that may have been carried out, and is no trial.
  #noteWritten(write: PreparedWrite | undefined, { outcome, readBack: value }: WriteResult): void {
    if (write === undefined || outcome === undefined) return;
    const isSent = outcome.failure === undefined || outcome.outcome === 'UNKNOWN' || value !== undefined;
    if (!isSent) return;
    const { timestampMs } = outcome;
    this.#options.known.note(write.channel.name, value === undefined ? undefined : { value, timestampMs });
  }

  async #writeOne(write: PreparedWrite, ending: AbortSignal | undefined): Promise<WriteResult> {
    const { connection, known } = this.#options;
    const { channel } = write;
    const withdrawal = write.findWithdrawal?.();
    if (withdrawal !== undefined) return this.#notSent(withdrawal);
    const last = known.find(channel.name);
    const judgement = await untilEnding(WriteJudgement.begin(write, this.#options), ending);
    if (judgement === undefined) return this.#notSent(findEnding(ending) ?? HELD_BACK);
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
    const isUnchanged = hasChangedNothing(outcome);
    if (isUnchanged) judgement.forget();
    const verification = channel.write?.verify;
    const before = judgement.present ?? findBefore(write, outcome) ?? last;
    if (isUnchanged || verification === undefined) {
      return { outcome: toKnown(outcome), readBack: findTaken(write, outcome), before };
    }
    const found = await readBack(write, verification, { ...this.#options, ending });
    return { ...judgeReadBack(write, outcome, found), before };
  }

  async #try(write: PreparedWrite, ending: AbortSignal | undefined): Promise<WriteResult> {
    const { connection } = this.#options;
    const withdrawal = write.findWithdrawal?.();
    if (withdrawal !== undefined) return this.#notSent(withdrawal);
    const judgement = await untilEnding(WriteJudgement.begin(write, this.#options), ending);
    let readings: readonly Reading[] | undefined = [];
    try {
      if (judgement !== undefined && judgement.channels.length > 0) {
        readings = await untilEnding(connection.read(connection.prepareRead(judgement.channels)), ending);
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return this.#notSent(toChannelFailure(error));
    }
    if (judgement === undefined || readings === undefined)
      return this.#notSent(findEnding(ending) ?? HELD_BACK);
    const failure = judgement.judge(readings);
    if (failure !== undefined) return this.#notSent(failure);
    return this.#tryPrepared(write);
  }

  #tryPrepared({ findWithdrawal, notSent }: PreparedWrite): WriteResult {
    const failure = findWithdrawal?.() ?? notSent;
    return failure === undefined ? {} : this.#notSent(failure);
  }

  /**
   * Finds what would be sent, and judges it by the limits.
   *
   * @returns for each write, why it is not sent, or what is
   */
  async #prepare(
    writes: readonly ScaledWrite[],
    { isDryRun, ending }: WriteRun,
  ): Promise<readonly (PreparedWrite | ChannelFailure)[]> {
    const { connection } = this.#options;
    const driver = connection.find(isChecking);
    if (driver === undefined && !isDryRun) return writes.map((write) => prepareWrite(write, undefined));
    const withdrawals = writes.map(({ findWithdrawal }) => findWithdrawal?.());
    const wanted = writes.filter((_, index) => withdrawals[index] === undefined);
    try {
      // A driver that does not know has to be connected all the same, as for the write.
      const preparing = connection.call(
        (signal) => driver?.prepareWrite(wanted.map(toRequest), signal) ?? Promise.resolve(NOTHING_PREPARED),
      );
      const found = await untilEnding(preparing, ending);
      if (found === undefined) return writes.map(() => findEnding(ending) ?? HELD_BACK);
      const { refused, values } = found;
      const failures = new Map(refused.map(({ index, failure }) => [wanted[index], failure]));
      const valueOf = new Map(values.map((value) => [wanted[value.index], value]));
      return writes.map(
        (write, index) =>
          withdrawals[index] ?? failures.get(write) ?? prepareWrite(write, valueOf.get(write)),
      );
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const failure = toChannelFailure(error);
      return writes.map((write, index) => {
        // What is beyond its limits is so on any device.
        const unsent = prepareWrite(write, undefined);
        return withdrawals[index] ?? ('code' in unsent ? unsent : failure);
      });
    }
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
}

const NOTHING_PREPARED: CheckedWrites = { refused: [], values: [] };
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
