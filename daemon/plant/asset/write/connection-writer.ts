import type { Clock } from '../../../base/clock.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import { Semaphore } from '../../../base/sharing/semaphore.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { Driver, Reading } from '../../../channel/driver.ts';
import { isLocking } from '../../../channel/locking-driver.ts';
import type { LockedDevice } from '../../../channel/locking-driver.ts';
import { runWrites } from '../../../channel/write-run.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import type { PreparedWrites, WriteOutcome, WriteRequest, WriteStep } from '../../../channel/write-step.ts';
import { prepareScaledRead } from '../read/scaled-read.ts';

interface ConnectionWriterOptions {
  readonly driver: Driver;
  readonly clock: Clock;
}

/** Preconditions of a write on its own connection. */
export interface WriteConditions {
  /** The channel that is written. */
  readonly channel: Channel;
  /** Channels that are read right before the write. */
  readonly channels: readonly Channel[];
  /**
   * Evaluates their readings, one per channel in order; called at most once. Without a failure, the write is sent next.
   *
   * @returns the reason that it is not sent; undefined: it is sent
   */
  readonly evaluate: (readings: readonly Reading[]) => ChannelFailure | undefined;
  /**
   * Prepares the only value of the write from the readings, before they are evaluated. Absent: it is prepared already.
   *
   * @returns its steps, or the reason that it is not sent
   */
  readonly encode?: (
    readings: readonly Reading[],
    prepareWrite: PrepareWrite,
  ) => Promise<readonly WriteStep[] | ChannelFailure>;
}

/** Encodes values for the driver. */
export type PrepareWrite = (requests: readonly WriteRequest[]) => Promise<PreparedWrites>;

type Outcomes = ReadonlyMap<number, WriteOutcome>;

/**
 * Sends the writes of a connection under a shared/exclusive lock: plain writes share it, read-then-write holds it exclusively, or holds the
 * device if the driver can lock it.
 */
export class ConnectionWriter {
  readonly #options: ConnectionWriterOptions;
  readonly #exclusive = new Semaphore();
  readonly #shared = new Set<Promise<unknown>>();

  constructor(options: ConnectionWriterOptions) {
    this.#options = options;
  }

  /**
   * Sends writes, after earlier exclusive ones.
   *
   * @throws the reason of the signal while waiting, or what `runWrites` throws
   */
  write(writes: SentWrites, signal: AbortSignal): Promise<Outcomes> {
    const { driver, clock } = this.#options;
    const send = (): Promise<Outcomes> => runWrites(writes, { signal, clock });
    return isLocking(driver) ? send() : this.#runShared(signal, send);
  }

  /**
   * Reads the conditions of a write, evaluates them, and sends it without a failure; no other write is sent in between.
   *
   * @throws as `write`, and errors of reading
   */
  writeIf(writes: SentWrites, conditions: WriteConditions, signal: AbortSignal): Promise<Outcomes> {
    const { driver } = this.#options;
    const work = (device: LockedDevice): Promise<Outcomes> =>
      this.#evaluateAndWrite(writes, conditions, device, signal);
    if (isLocking(driver)) return driver.runExclusive(conditions.channel, signal, work);
    const device: LockedDevice = {
      prepareRead: (channels) => driver.prepareRead(channels),
      take: (step) => step,
    };
    return this.#runExclusive(signal, () => work(device));
  }

  async #evaluateAndWrite(
    { steps: given, findCancellation }: SentWrites,
    { channels, evaluate, encode }: WriteConditions,
    device: LockedDevice,
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const { clock, driver } = this.#options;
    const prepared = prepareScaledRead(channels, (all) => device.prepareRead(all));
    const readings = channels.length === 0 ? [] : await prepared.read(signal);
    const steps =
      encode === undefined
        ? given
        : await encode(readings, (requests) => driver.prepareWrite(requests, signal));
    const failure = 'code' in steps ? steps : evaluate(readings);
    if (failure === undefined && !('code' in steps)) {
      const taken = steps.map((step) => device.take(step));
      return runWrites({ steps: taken, findCancellation }, { signal, clock });
    }
    const outcome = { failure, outcome: 'NOT_SENT', timestampMs: clock.epochMs() } as const;
    const indices = encode === undefined ? given.flatMap((step) => step.indices) : [0];
    return new Map(indices.map((index) => [index, outcome]));
  }

  async #runShared<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    if (this.#exclusive.isIdle) return this.#note(write());
    let begun: Promise<T> | undefined;
    await this.#exclusive.run(signal, () => {
      begun = this.#note(write());
      // The caller receives its failure; the lock must not.
      begun.catch(() => undefined);
      return Promise.resolve();
    });
    if (begun === undefined) throw new RangeError('the write was not started');
    return begun;
  }

  #runExclusive<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    return this.#exclusive.run(signal, async () => {
      await raceWithAbort(
        Promise.allSettled(this.#shared).then(() => undefined),
        signal,
      );
      return write();
    });
  }

  #note<T>(write: Promise<T>): Promise<T> {
    const noted = write.finally(() => this.#shared.delete(noted));
    this.#shared.add(noted);
    return noted;
  }
}
