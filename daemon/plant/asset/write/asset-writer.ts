import { Semaphore } from '../../../base/sharing/semaphore.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import { HELD_BACK } from '../../../channel/write-run.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import { selectSteps } from '../../../channel/write-step.ts';
import type { WriteOutcome, WriteStep } from '../../../channel/write-step.ts';
import { WritePreconditions } from './write-preconditions.ts';
import type { ConditionContext } from './write-preconditions.ts';
import type { LastKnownValues } from '../read/last-known-values.ts';
import { isConditional, prepareWrite, scaleWrite, toRequest } from './prepared-write.ts';
import type { ChannelWrite, PreparedWrite, ScaledWrite } from './prepared-write.ts';
import { findEnding, untilEnding } from './write-ending.ts';
import {
  findBefore,
  findTaken,
  hasChangedNothing,
  isOpen,
  resolveReadBack,
  toKnown,
  toWriteRecord,
  UNANSWERED,
} from './write-result.ts';
import type { WriteResult } from './write-result.ts';
import { readBack } from './write-verification.ts';

interface AssetWriterOptions extends ConditionContext {
  readonly scaleOnWrite: boolean;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly known: LastKnownValues;
}

interface WriteOptions {
  /** Dry run: preconditions are read, nothing is sent, and the records show the expected result. */
  readonly isDryRun: boolean;
  /** Aborts with a {WriteEnded} to stop sending; outstanding requests are awaited. Absent: no end. */
  readonly ending?: AbortSignal | undefined;
  /** Runs work that needs the device, or refuses it. */
  readonly occupy: <T>(work: () => Promise<T>) => Promise<T>;
}

type WriteRun = Pick<WriteOptions, 'isDryRun' | 'ending'>;

/** A scaled value, and its position among the requested ones. */
interface ScaledEntry {
  readonly position: number;
  readonly write: ScaledWrite;
}

/** A write that may be sent, and its position among the requested ones. */
interface Entry {
  readonly position: number;
  readonly write: PreparedWrite;
  /** Position among the values that were prepared together. */
  readonly index: number;
}

/** For each write the prepared value or its failure; and the steps that send it, by position. */
interface Preparation {
  readonly values: readonly (PreparedWrite | ChannelFailure)[];
  readonly steps: readonly WriteStep[];
}

/** Writes channels of one asset, each with its own limits and conditions. */
export class AssetWriter {
  readonly #options: AssetWriterOptions;
  // Two concurrent writes of one channel would each be verified with the value of the other.
  readonly #turns = new Map<string, Semaphore>();

  constructor(options: AssetWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes in the order given. Consecutive values without write terms are passed to the driver together.
   *
   * A write that is refused or not sent does not end the others; after one with an unknown outcome nothing more is sent.
   * After `ending` aborts, nothing more is sent or read back.
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
      const findCancellation = (): ChannelFailure | undefined =>
        findEnding(ending) ?? asked.findCancellation?.();
      const write = scaleWrite(channels.get(asked.name), { ...asked, findCancellation }, scaleOnWrite);
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
    const wanted = scaled.filter(({ position, write }) => {
      const cancellation = write.findCancellation?.();
      if (cancellation !== undefined) results.set(position, this.#notSent(cancellation));
      return cancellation === undefined;
    });
    if (wanted.length === 0) return;
    const writes = wanted.map(({ write }) => write);
    const { values, steps } = await this.#prepare(writes, run);
    const sent: SentWrites = { steps, findCancellation: (index) => writes[index]?.findCancellation?.() };
    const entries: Entry[] = [];
    for (const [index, { position }] of wanted.entries()) {
      const write = values[index];
      if (write === undefined) continue;
      if ('code' in write) results.set(position, this.#notSent(write));
      else entries.push({ position, write, index });
    }
    let isHeldBack = false;
    for (const group of toGroups(entries)) {
      const stop = findEnding(run.ending) ?? (isHeldBack ? HELD_BACK : undefined);
      const outcomes: readonly WriteResult[] =
        stop === undefined ? await this.#writeGroup(group, sent, run) : group.map(() => this.#notSent(stop));
      for (const [index, { position }] of group.entries()) {
        const result = { sent: group[index]?.write.written, ...outcomes[index] };
        results.set(position, result);
        this.#noteWritten(group[index]?.write, result);
        isHeldBack ||= result.outcome !== undefined && isOpen(result.outcome);
      }
    }
  }

  async #writeGroup(
    group: readonly Entry[],
    sent: SentWrites,
    run: WriteRun,
  ): Promise<readonly WriteResult[]> {
    const indices = group.map(({ index }) => index);
    const own = { ...sent, steps: selectSteps(sent.steps, indices) };
    const [first] = group;
    if (first !== undefined && isConditional(first.write)) return [await this.#writeInTurn(first, own, run)];
    if (run.isDryRun) return group.map(({ write }) => this.#tryPrepared(write));
    const known = group.map(({ write }) => this.#options.known.find(write.channel.name));
    const outcomes = await this.#send(indices, () => this.#options.connection.write(own));
    return group.map(({ write }, index) => {
      const outcome = outcomes[index] ?? this.#unanswered();
      const before = findBefore(write, outcome) ?? known[index];
      return { outcome: toKnown(outcome), readBack: findTaken(write, outcome), before };
    });
  }

  async #writeInTurn(entry: Entry, sent: SentWrites, { isDryRun, ending }: WriteRun): Promise<WriteResult> {
    const { write } = entry;
    const turn = this.#turnOf(write.channel.name);
    try {
      return await turn.run(ending, () =>
        isDryRun ? this.#try(write, ending) : this.#writeOne(entry, sent, ending),
      );
    } catch (error) {
      const ended = error === ending?.reason ? findEnding(ending) : undefined;
      if (ended === undefined) throw error;
      return this.#notSent(ended);
    }
  }

  // A write that may have been carried out, not a dry run.
  #noteWritten(write: PreparedWrite | undefined, { outcome, readBack: value }: WriteResult): void {
    if (write === undefined || outcome === undefined) return;
    const isSent = outcome.failure === undefined || outcome.outcome === 'UNKNOWN' || value !== undefined;
    if (!isSent) return;
    const { timestampMs } = outcome;
    this.#options.known.note(write.channel.name, value === undefined ? undefined : { value, timestampMs });
  }

  async #writeOne(
    { write, index }: Entry,
    sent: SentWrites,
    ending: AbortSignal | undefined,
  ): Promise<WriteResult> {
    const { connection, known } = this.#options;
    const { channel } = write;
    const cancellation = write.findCancellation?.();
    if (cancellation !== undefined) return this.#notSent(cancellation);
    const last = known.find(channel.name);
    const preconditions = await untilEnding(WritePreconditions.prepare(write, this.#options), ending);
    if (preconditions === undefined) return this.#notSent(findEnding(ending) ?? HELD_BACK);
    const [outcome = this.#unanswered()] = await this.#send([index], () =>
      preconditions.isUnconditional
        ? connection.write(sent)
        : connection.writeIf(sent, {
            channel,
            channels: preconditions.channels,
            evaluate: (readings) => preconditions.evaluateAndRecord(readings),
          }),
    );
    const isUnchanged = hasChangedNothing(outcome);
    if (isUnchanged) preconditions.forget();
    const verification = channel.write?.verify;
    const before = preconditions.current ?? findBefore(write, outcome) ?? last;
    if (isUnchanged || verification === undefined) {
      return { outcome: toKnown(outcome), readBack: findTaken(write, outcome), before };
    }
    const found = await readBack(write, verification, { ...this.#options, ending });
    return { ...resolveReadBack(write, outcome, found), before };
  }

  async #try(write: PreparedWrite, ending: AbortSignal | undefined): Promise<WriteResult> {
    const { connection } = this.#options;
    const cancellation = write.findCancellation?.();
    if (cancellation !== undefined) return this.#notSent(cancellation);
    const preconditions = await untilEnding(WritePreconditions.prepare(write, this.#options), ending);
    let readings: readonly Reading[] | undefined = [];
    try {
      if (preconditions !== undefined && preconditions.channels.length > 0) {
        readings = await untilEnding(connection.read(connection.prepareRead(preconditions.channels)), ending);
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return this.#notSent(toChannelFailure(error));
    }
    if (preconditions === undefined || readings === undefined)
      return this.#notSent(findEnding(ending) ?? HELD_BACK);
    const failure = preconditions.evaluate(readings);
    if (failure !== undefined) return this.#notSent(failure);
    return this.#tryPrepared(write);
  }

  #tryPrepared({ findCancellation, notSent }: PreparedWrite): WriteResult {
    const failure = findCancellation?.() ?? notSent;
    return failure === undefined ? {} : this.#notSent(failure);
  }

  /** Encodes the values and checks them against the limits. */
  async #prepare(writes: readonly ScaledWrite[], { ending }: WriteRun): Promise<Preparation> {
    try {
      const preparing = this.#options.connection.prepareWrite(writes.map(toRequest));
      const found = await untilEnding(preparing, ending);
      if (found === undefined)
        return { values: writes.map(() => findEnding(ending) ?? HELD_BACK), steps: [] };
      const { refused, values, steps } = found;
      const failures = new Map(refused.map(({ index, failure }) => [index, failure]));
      const valueOf = new Map(values.map((value) => [value.index, value]));
      return {
        values: writes.map((write, index) => failures.get(index) ?? prepareWrite(write, valueOf.get(index))),
        steps,
      };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const failure = toChannelFailure(error);
      const values = writes.map((write) => {
        // Limits do not depend on the device.
        const unsent = prepareWrite(write, undefined);
        return 'code' in unsent ? unsent : failure;
      });
      return { values, steps: [] };
    }
  }

  // After an error of the connection nothing was sent, unless the driver itself failed.
  async #send(
    indices: readonly number[],
    send: () => Promise<ReadonlyMap<number, WriteOutcome>>,
  ): Promise<readonly WriteOutcome[]> {
    try {
      const outcomes = await send();
      return indices.map((index) => outcomes.get(index) ?? this.#unanswered());
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const timestampMs = this.#options.clock.epochMs();
      const outcome = error.mayBeDone ? 'UNKNOWN' : 'NOT_SENT';
      return indices.map(() => ({ failure: toChannelFailure(error), outcome, timestampMs }));
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

/** Groups writes that are sent together: consecutive values without write terms; every other value alone. */
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
