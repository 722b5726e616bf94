import type { Life } from '../world/life.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

interface OperatorParts extends PersonParts {
  readonly life: Life;
}

// Longest time without a gateway.
const LONGEST_AWAY_MS = 60_000;

/** Creates somebody who restarts the gateway, cuts its power, and sets its clock. */
export function createOperator(parts: OperatorParts): Person {
  const { name: who, time, random, chronicle, life } = parts;
  return createPerson(parts, async () => {
    const action = random.pickWeighted({ restart: 2, kill: 2, clock: 1 });
    chronicle.note(who, `${action}s the gateway`);
    if (action === 'clock') {
      life.stepClock(random.pick([-3_600_000, -5000, 1000, 5000, 3_600_000]));
      return;
    }
    if (action === 'kill') await life.kill();
    else await life.stop();
    await new Promise<void>((resolve) => {
      time.schedule(random.exponential(LONGEST_AWAY_MS / 4), resolve);
    });
    await life.start();
  });
}
