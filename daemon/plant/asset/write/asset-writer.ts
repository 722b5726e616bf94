import { Semaphore } from '../../../base/sharing/semaphore.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { Reading } from '../../../channel/driver.ts';
import { HELD_BACK } from '../../../channel/write-run.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import { selectSteps } from '../../../channel/write-step.ts';
import type { WriteOutcome, WriteStep } from '../../../channel/write-step.ts';
import { DeferredWrite } from './deferred-write.ts';
import { WritePreconditions } from './write-preconditions.ts';
import type { ConditionContext } from './write-preconditions.ts';
import type { LastKnownValues } from '../read/last-known-values.ts';
import { acceptWrite, isConditional, prepareWrite, scaleWrite, toRequest } from './prepared-write.ts';
import type { AskedWrite, ChannelWrite, PreparedWrite, ScaledWrite } from './prepared-write.ts';
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

/** An accepted value, and its position among the requested ones. */
interface AskedEntry {
  readonly position: number;
  /** Not scaled yet if its scale is read right before the write. */
  readonly write: AskedWrite | ScaledWrite;
}

/** A write that may be sent, and its position among the requested ones. */
type Entry = PreparedEntry | DeferredEntry;

interface PreparedEntry {
  readonly position: number;
  readonly write: PreparedWrite;
  /** Position among the values that were prepared together. */
  readonly index: number;
}

interface DeferredEntry {
  readonly position: number;
  readonly write: AskedWrite;
  readonly index?: undefined;
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
    const accepted: AskedEntry[] = [];
    for (const [position, asked] of writes.entries()) {
      const findCancellation = (): ChannelFailure | undefined =>
        findEnding(ending) ?? asked.findCancellation?.();
      const own = acceptWrite(channels.get(asked.name), { ...asked, findCancellation }, scaleOnWrite);
      const write = 'code' in own || own.channel.scaleFrom !== undefined ? own : scaleWrite(own);
      if ('code' in write) results.set(position, this.#notSent(write));
      else accepted.push({ position, write });
    }
    if (accepted.length > 0) await occupy(() => this.#writeAll(accepted, results, { isDryRun, ending }));
    const nowMs = this.#options.clock.epochMs();
    return writes.map((asked, position) => {
      const channel = channels.get(asked.name);
      return toWriteRecord(asked, results.get(position) ?? {}, { channel, isDryRun, nowMs });
    });
  }

  async #writeAll(
    accepted: readonly AskedEntry[],
    results: Map<number, WriteResult>,
    run: WriteRun,
  ): Promise<void> {
    const wanted = accepted.filter(({ position, write }) => {
      const cancellation = write.findCancellation?.();
      if (cancellation !== undefined) results.set(position, this.#notSent(cancellation));
      return cancellation === undefined;
    });
    if (wanted.length === 0) return;
    const writes = wanted.flatMap(({ write }) => ('raw' in write ? write : []));
    const { values, steps } = await this.#prepare(writes, run);
    const sent: SentWrites = { steps, findCancellation: (index) => writes[index]?.findCancellation?.() };
    const entries: Entry[] = [];
    let prepared = 0;
    for (const { position, write: asked } of wanted) {
      if (!('raw' in asked)) {
        entries.push({ position, write: asked });
        continue;
      }
      const write = values[prepared];
      if (write !== undefined && 'code' in write) results.set(position, this.#notSent(write));
      else if (write !== undefined) entries.push({ position, write, index: prepared });
      prepared += 1;
    }
    let isHeldBack = false;
    for (const group of toGroups(entries)) {
      const stop = findEnding(run.ending) ?? (isHeldBack ? HELD_BACK : undefined);
      const outcomes: readonly WriteResult[] =
        stop === undefined ? await this.#writeGroup(group, sent, run) : group.map(() => this.#notSent(stop));
      for (const [index, { position }] of group.entries()) {
        const write = group[index]?.write;
        const written = write !== undefined && 'written' in write ? write.written : undefined;
        const result = { sent: written, ...outcomes[index] };
        results.set(position, result);
        this.#noteWritten(write, result);
        isHeldBack ||= result.outcome !== undefined && isOpen(result.outcome);
      }
    }
  }

  async #writeGroup(
    group: readonly Entry[],
    sent: SentWrites,
    run: WriteRun,
  ): Promise<readonly WriteResult[]> {
    const [first] = group;
    const prepared = group.filter((entry) => entry.index !== undefined);
    const indices = prepared.map(({ index }) => index);
    const own = { ...sent, steps: selectSteps(sent.steps, indices) };
    if (first !== undefined && isAlone(first)) return [await this.#writeInTurn(first, own, run)];
    if (run.isDryRun) return prepared.map(({ write }) => this.#tryPrepared(write));
    const known = prepared.map(({ write }) => this.#options.known.find(write.channel.name));
    const outcomes = await this.#send(indices, () => this.#options.connection.write(own));
    return prepared.map(({ write }, index) => {
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
        isDryRun ? this.#try(entry, ending) : this.#writeOne(entry, sent, ending),
      );
    } catch (error) {
      const ended = error === ending?.reason ? findEnding(ending) : undefined;
      if (ended === undefined) throw error;
      return this.#notSent(ended);
    }
  }

  // A write that may have been carried out, not a dry run.
  #noteWritten(write: AskedWrite | undefined, { outcome, readBack: value }: WriteResult): void {
    if (write === undefined || outcome === undefined) return;
    const isSent = outcome.failure === undefined || outcome.outcome === 'UNKNOWN' || value !== undefined;
    if (!isSent) return;
    const { timestampMs } = outcome;
    this.#options.known.note(write.channel.name, value === undefined ? undefined : { value, timestampMs });
  }

  async #writeOne(entry: Entry, sent: SentWrites, ending: AbortSignal | undefined): Promise<WriteResult> {
    const { connection, known } = this.#options;
    const { channel } = entry.write;
    const cancellation = entry.write.findCancellation?.();
    if (cancellation !== undefined) return this.#notSent(cancellation);
    const last = known.find(channel.name);
    const preconditions = await untilEnding(WritePreconditions.prepare(entry.write, this.#options), ending);
    if (preconditions === undefined) return this.#notSent(findEnding(ending) ?? HELD_BACK);
    const ready = entry.index === undefined ? undefined : entry.write;
    const deferred = new DeferredWrite(entry.write, preconditions);
    const [outcome = this.#unanswered()] = await this.#send([entry.index ?? 0], () => {
      if (ready === undefined) return connection.writeIf(deferred.toSent(), deferred.toConditions());
      if (preconditions.isUnconditional) return connection.write(sent);
      const evaluate = (readings: readonly Reading[]): ChannelFailure | undefined =>
        preconditions.evaluateAndRecord(readings, ready);
      return connection.writeIf(sent, { channel, channels: preconditions.channels, evaluate });
    });
    const isUnchanged = hasChangedNothing(outcome);
    if (isUnchanged) preconditions.forget();
    const write = ready ?? deferred.prepared;
    if (write === undefined) return { outcome };
    const verification = channel.write?.verify;
    const before = preconditions.current ?? findBefore(write, outcome) ?? last;
    if (isUnchanged || verification === undefined) {
      return { sent: write.written, outcome: toKnown(outcome), readBack: findTaken(write, outcome), before };
    }
    const found = await readBack(write, verification, { ...this.#options, ending });
    return { sent: write.written, ...resolveReadBack(write, outcome, found), before };
  }

  async #try(entry: Entry, ending: AbortSignal | undefined): Promise<WriteResult> {
    const { connection } = this.#options;
    const cancellation = entry.write.findCancellation?.();
    if (cancellation !== undefined) return this.#notSent(cancellation);
    const preconditions = await untilEnding(WritePreconditions.prepare(entry.write, this.#options), ending);
    if (preconditions === undefined) return this.#notSent(findEnding(ending) ?? HELD_BACK);
    const ready = entry.index === undefined ? undefined : entry.write;
    const deferred = new DeferredWrite(entry.write, preconditions);
    const { channels } = ready === undefined ? deferred : preconditions;
    try {
      const reading = channels.length === 0 ? [] : connection.read(connection.prepareRead(channels));
      const readings = await untilEnding(Promise.resolve(reading), ending);
      if (readings === undefined) return this.#notSent(findEnding(ending) ?? HELD_BACK);
      if (ready !== undefined) {
        const failure = preconditions.evaluate(readings, ready);
        return failure === undefined ? this.#tryPrepared(ready) : this.#notSent(failure);
      }
      const steps = await deferred.encode(readings, (requests) => connection.prepareWrite(requests));
      const failure = 'code' in steps ? steps : deferred.evaluate(readings);
      return failure === undefined ? { sent: deferred.prepared?.written } : this.#notSent(failure);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return this.#notSent(toChannelFailure(error));
    }
  }

  #tryPrepared({ findCancellation, notSent }: PreparedWrite): WriteResult {
    const failure = findCancellation?.() ?? notSent;
    return failure === undefined ? {} : this.#notSent(failure);
  }

  /** Encodes the values and checks them against the limits. */
  async #prepare(writes: readonly ScaledWrite[], { ending }: WriteRun): Promise<Preparation> {
    if (writes.length === 0) return { values: [], steps: [] };
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

/** True if the write is not sent together with others. */
function isAlone({ write, index }: Entry): boolean {
  return index === undefined || isConditional(write);
}

/** Groups writes that are sent together: consecutive values without write terms; every other value alone. */
function toGroups(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups: Entry[][] = [];
  let open: Entry[] | undefined;
  for (const entry of entries) {
    if (isAlone(entry)) {
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
