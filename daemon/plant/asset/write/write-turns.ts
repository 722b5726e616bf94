import type { Clock } from '../../../base/clock.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import { Semaphore } from '../../../base/sharing/semaphore.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { Driver, Reading } from '../../../channel/driver.ts';
import { isTurnTaking } from '../../../channel/turn-taking-driver.ts';
import type { DeviceTurn } from '../../../channel/turn-taking-driver.ts';
import { runWrites } from '../../../channel/write-run.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import type { WriteOutcome } from '../../../channel/write-step.ts';

interface WriteTurnsOptions {
  readonly driver: Driver;
  readonly clock: Clock;
}

/** What a write depends on behind its own connection. */
export interface WriteConditions {
  /** The channel that is written. */
  readonly channel: Channel;
  /** Channels that are read right before. */
  readonly channels: readonly Channel[];
  /**
   * Judges their readings, one per channel in their order; called at most once, and if it agrees, the write is sent next.
   *
   * @returns why it is not sent; undefined when it is
   */
  readonly judge: (readings: readonly Reading[]) => ChannelFailure | undefined;
}

type Outcomes = ReadonlyMap<number, WriteOutcome>;

/**
 * Sends the writes of a connection: they run together, and one that depends on what it reads alone, or in a turn of a driver that
 * takes turns on its line.
 */
export class WriteTurns {
  readonly #options: WriteTurnsOptions;
  readonly #alone = new Semaphore();
  readonly #together = new Set<Promise<unknown>>();

  constructor(options: WriteTurnsOptions) {
    this.#options = options;
  }

  /**
   * Sends writes, after those that run alone and came before them.
   *
   * @throws the reason of the signal while waiting, or what `runWrites` throws
   */
  write(writes: SentWrites, signal: AbortSignal): Promise<Outcomes> {
    const { driver, clock } = this.#options;
    const send = (): Promise<Outcomes> => runWrites(writes, { signal, clock });
    return isTurnTaking(driver) ? send() : this.#runTogether(signal, send);
  }

  /**
   * Reads the conditions of a write, judges it, and sends it unless there is a failure; no other write is sent in between.
   *
   * @throws as `write`, or what reading throws
   */
  writeIf(writes: SentWrites, conditions: WriteConditions, signal: AbortSignal): Promise<Outcomes> {
    const { driver } = this.#options;
    const work = (turn: DeviceTurn): Promise<Outcomes> =>
      this.#judgeAndWrite(writes, conditions, turn, signal);
    if (isTurnTaking(driver)) return driver.holdTurn(conditions.channel, signal, work);
    const turn: DeviceTurn = {
      prepareRead: (channels) => driver.prepareRead(channels),
      take: (step) => step,
    };
    return this.#runAlone(signal, () => work(turn));
  }

  async #judgeAndWrite(
    { steps, findWithdrawal }: SentWrites,
    { channels, judge }: WriteConditions,
    turn: DeviceTurn,
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const { clock } = this.#options;
    const readings = channels.length === 0 ? [] : await turn.prepareRead(channels).read(signal);
    const failure = judge(readings);
    if (failure === undefined) {
      const taken = steps.map((step) => turn.take(step));
      return runWrites({ steps: taken, findWithdrawal }, { signal, clock });
    }
    const outcome = { failure, outcome: 'NOT_SENT', timestampMs: clock.epochMs() } as const;
    return new Map(steps.flatMap(({ indices }) => indices.map((index) => [index, outcome])));
  }

  async #runTogether<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    if (this.#alone.isIdle) return this.#note(write());
    let begun: Promise<T> | undefined;
    await this.#alone.run(signal, () => {
      begun = this.#note(write());
      // Its failure is that of the caller, not that of the turn.
      begun.catch(() => undefined);
      return Promise.resolve();
    });
    if (begun === undefined) throw new RangeError('a turn begins its write');
    return begun;
  }

  #runAlone<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    return this.#alone.run(signal, async () => {
      await raceWithAbort(
        Promise.allSettled(this.#together).then(() => undefined),
        signal,
      );
      return write();
    });
  }

  #note<T>(write: Promise<T>): Promise<T> {
    const noted = write.finally(() => this.#together.delete(noted));
    this.#together.add(noted);
    return noted;
  }
}
