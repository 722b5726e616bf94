import type { Cancel } from '../../../daemon/base/clock.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';

/** Somebody who uses the gateway. */
export interface Person {
  readonly name: string;
  /** Begins to act. */
  start(): void;
  /** Acts no more; what is under way still ends. */
  leave(): void;
  /** Whether something that it began has not ended. */
  readonly isBusy: boolean;
}

export interface PersonParts {
  readonly name: string;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
  /** Milliseconds between two acts, on average; shorter in busy hours. */
  readonly pauseMs: () => number;
  /** Whether the next act does not wait for the tempo of the world. */
  readonly isHurried?: (() => boolean) | undefined;
}

/**
 * Creates somebody who does one thing, waits, and does the next.
 *
 * @param act one act; what it throws breaks `no-defect`, because people here expect every answer
 * @param onLeave called when the person leaves
 */
export function createPerson(
  { name, time, random, chronicle, pauseMs, isHurried }: PersonParts,
  act: () => Promise<void>,
  onLeave: () => void = () => undefined,
): Person {
  let cancel: Cancel = () => undefined;
  let isHere = false;
  let isBusy = false;

  function waitForNext(): void {
    if (!isHere) return;
    const drawnMs = random.exponential(pauseMs());
    const pause = isHurried?.() === true ? drawnMs : time.tempo.pause(time.monotonicMs(), drawnMs);
    cancel = time.schedule(pause, () => void takeTurn());
  }

  async function takeTurn(): Promise<void> {
    isBusy = true;
    try {
      await act();
    } catch (error) {
      chronicle.break(
        'no-defect',
        `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    } finally {
      isBusy = false;
      waitForNext();
    }
  }

  return {
    name,
    start() {
      isHere = true;
      waitForNext();
    },
    leave() {
      isHere = false;
      cancel();
      onLeave();
    },
    get isBusy() {
      return isBusy;
    },
  };
}
