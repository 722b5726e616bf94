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
}

// Longest time without a gateway.
const LONGEST_AWAY_MS = 60_000;

/** Creates somebody who restarts the gateway, cuts its power, and sets its clock. */
export function createOperator(parts: OperatorParts): Person {
  const { name: who, time, random, chronicle, life, client } = parts;
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

  return createPerson(parts, async () => {
    const action = random.pickWeighted({ restart: 2, kill: 2, clock: 1 });
    chronicle.note(who, `${action}s the gateway`);
    if (action === 'clock') {
      life.stepClock(random.pick([-3_600_000, -5000, 1000, 5000, 3_600_000]));
      return;
    }
    if (action === 'restart') await beRefused();
    if (action === 'kill') await life.kill();
    else await life.stop();
    await new Promise<void>((resolve) => {
      time.schedule(random.exponential(LONGEST_AWAY_MS / 4), resolve);
    });
    await life.start();
  });
}
