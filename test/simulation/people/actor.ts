import { BrokenAnswer } from '../http/answer-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import type { Random } from '../world/random.ts';
import type { PeopleWorld } from './people-world.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';

export interface ActorOptions {
  readonly name: string;
  readonly random: Random;
  /** Pause between actions, on average. */
  readonly meanPauseMs: number;
}

interface Acting {
  /** Does one thing. @throws {ConnectionEnded} {BrokenAnswer} when the gateway does not answer */
  readonly act: () => Promise<void>;
  /** Closes every connection; called after leaving, when nothing is under way. */
  readonly close: () => void;
}

/** Creates somebody who does one thing after the other, also when the gateway is away. */
export function createActor(world: PeopleWorld, options: ActorOptions, { act, close }: Acting): Person {
  const { time, chronicle } = world;
  const { name, random, meanPauseMs } = options;
  let isGone = false;

  async function actOnce(): Promise<void> {
    try {
      await act();
    } catch (error) {
      // Both are noted already, and whoever acts has taken them into account.
      if (!(error instanceof ConnectionEnded) && !(error instanceof BrokenAnswer)) throw error;
    } finally {
      if (isGone) close();
    }
  }

  const person = createPerson({ name, time, random, chronicle, pauseMs: () => meanPauseMs }, actOnce, () => {
    isGone = true;
    if (!person.isBusy) close();
  });
  return person;
}
