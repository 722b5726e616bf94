import { raceWithAbort } from '../base/race-with-abort.ts';
import { Semaphore } from '../base/semaphore.ts';

/** Lets writes of a connection run together, and one that depends on what it reads alone. */
export class WriteTurns {
  readonly #alone = new Semaphore();
  readonly #together = new Set<Promise<unknown>>();

  /**
   * Runs a write together with others, after those that run alone and came before it.
   *
   * @throws the reason of the signal while waiting, or what the write throws
   */
  async runTogether<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
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

  /**
   * Runs a write when no other is under way; others wait until it ends.
   *
   * @throws as `runTogether`
   */
  runAlone<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
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
