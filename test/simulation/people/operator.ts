import { delay } from '../../../daemon/base/clock.ts';
import type { Life } from '../world/life.ts';
import { BrokenAnswer } from '../http/answer-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import { CURRENT_IDENTITY } from './probes.ts';
import type { RestClient } from './rest-client.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

interface OperatorParts extends PersonParts {
  readonly life: Life;
  readonly client: RestClient;
  /** How often the clock is set compared to restarts and losses of power, which weigh 2 each. */
  readonly clockWeight: number;
}

// Longest time without a gateway.
const LONGEST_AWAY_MS = 60_000;

type Action = 'restart' | 'kill' | 'clock';

/** An operator, who also acts when others wish. */
export interface Operator extends Person {
  /** Restarts the gateway or cuts its power soon, unless something is under way. */
  interrupt(): void;
}

/** Creates somebody who restarts the gateway, cuts its power, and sets its clock. */
export function createOperator(parts: OperatorParts): Operator {
  const { name: who, time, random, chronicle, life, client, clockWeight } = parts;
  // Asks for something without credentials: the audit log has it also when the gateway ends at once.
  async function beRefused(): Promise<void> {
    try {
      await client.ask({ method: 'GET', path: CURRENT_IDENTITY });
    } catch (error) {
      // Noted already.
      if (!(error instanceof ConnectionEnded) && !(error instanceof BrokenAnswer)) throw error;
    }
    client.close();
  }

  async function operate(action: Action): Promise<void> {
    chronicle.note(who, `${action}s the gateway`);
    if (action === 'clock') {
      life.stepClock(random.pick([-3_600_000, -5000, 1000, 5000, 7_200_000]));
      return;
    }
    if (action === 'restart') await beRefused();
    if (action === 'kill') await life.kill();
    else await life.stop();
    await delay(time, random.exponential(LONGEST_AWAY_MS / 4));
    await life.start();
  }

  let isActing = false;
  async function actAlone(action: Action): Promise<void> {
    if (isActing) return;
    isActing = true;
    await operate(action);
    isActing = false;
  }

  const person = createPerson(parts, () =>
    actAlone(random.pickWeighted({ restart: 2, kill: 2, clock: clockWeight })),
  );
  return {
    name: who,
    start: () => person.start(),
    leave: () => person.leave(),
    get isBusy() {
      return isActing || person.isBusy;
    },
    interrupt() {
      const action = random.pick(['restart', 'kill'] as const);
      time.schedule(random.integer(500, 4000), () => void actAlone(action));
    },
  };
}
