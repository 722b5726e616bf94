import { ConnectionEnded } from '../http/rest-connection.ts';
import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { RestClient } from './rest-client.ts';
import type { Asked } from './rest-client.ts';
import type { PendingChange } from '../world/timeline.ts';
import { drawTuning, toTuning } from './tuning.ts';
import type { Tuning } from './tuning.ts';

interface TunerOptions extends ActorOptions {
  readonly address: string;
  readonly credentials: { readonly name: string; readonly password: string };
}

/** A change of which nobody knows whether it was carried out. */
interface OpenChange {
  readonly wanted: Tuning;
  readonly pending: PendingChange<Tuning>;
  readonly sinceMs: number;
}

const SECTION = '/services/configuration/v1/rest';
// A change that was under way when its connection ended has been carried out by then, or never will be.
const SETTLED_AFTER_MS = 120_000;
// Another change waits for its confirmation, somebody was faster, or the gateway stops.
const REFUSALS = [409, 412, 503];

/** Creates somebody who changes settings of the REST interface; everybody else checks that they hold from the answer on. */
export function createTuner(world: PeopleWorld, options: TunerOptions): Person {
  const { name: who, random, address, credentials } = options;
  const { time, tuning, chronicle } = world;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const pair = Buffer.from(`${credentials.name}:${credentials.password}`).toString('base64');
  const authorization = `Basic ${pair}`;
  let open: OpenChange | undefined;

  async function look(): Promise<{ readonly asked: Asked; readonly section: Partial<Tuning> } | undefined> {
    const asked = await client.ask({ method: 'GET', path: SECTION, headers: { authorization } });
    judge(world, asked, { who, what: `GET ${SECTION}`, statuses: [200] });
    if (asked.answer.status !== 200) return undefined;
    const section = JSON.parse(asked.answer.body) as Partial<Tuning>;
    const shown = toText(toTuning(section));
    const possible = tuning.during(asked.askedMs, asked.answeredMs).map(toText);
    if (!possible.includes(shown))
      chronicle.break('configuration-kept', `${who}: rest is ${shown}, not ${possible.join(' or ')}`);
    return { asked, section };
  }

  // Without an answer the change stays open, and everybody expects both.
  async function settle({ wanted, pending, sinceMs }: OpenChange): Promise<void> {
    if (time.monotonicMs() < sinceMs + SETTLED_AFTER_MS) return;
    const seen = await look();
    if (seen === undefined) return;
    open = undefined;
    if (toText(toTuning(seen.section)) === toText(wanted)) pending.settle(wanted, seen.asked.answeredMs);
    else pending.drop();
  }

  async function act(): Promise<void> {
    if (open !== undefined) return settle(open);
    const seen = await look();
    const etag = seen?.asked.answer.headers['etag'];
    if (seen === undefined || etag === undefined) return;
    const wanted = drawTuning(random, tuning.latest);
    const sinceMs = time.monotonicMs();
    const pending = tuning.begin(wanted, sinceMs);
    chronicle.note(who, `sets ${toText(wanted)}`);
    try {
      const asked = await client.ask({
        method: 'PUT',
        path: SECTION,
        headers: { authorization, 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ ...seen.section, ...wanted }),
      });
      judge(world, asked, { who, what: 'a change of rest', statuses: [200, ...REFUSALS] });
      if (asked.answer.status === 200) pending.settle(wanted, asked.answeredMs);
      else pending.drop();
    } catch (error) {
      if (error instanceof ConnectionEnded) open = { wanted, pending, sinceMs };
      throw error;
    }
  }

  return createActor(world, options, { act, close: () => client.close() });
}

function toText(tuning: Tuning): string {
  return JSON.stringify(tuning);
}
