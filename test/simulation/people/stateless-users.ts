import { BasicClient } from './basic-client.ts';
import { judgeGranted } from './held-grants.ts';
import { hasPermission } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { PROBES } from './probes.ts';
import { RestClient } from './rest-client.ts';
import { isCardPortOpen, tuningsDuring } from './tuning.ts';

interface StatelessUserOptions extends ActorOptions {
  readonly address: string;
  readonly identity: string;
}

/** Creates a program that sends BASIC credentials with every request. */
export function createBasicUser(world: PeopleWorld, options: StatelessUserOptions): Person {
  const { name: who, random, address, identity } = options;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const basic = new BasicClient(world, who, client, identity);

  async function act(): Promise<void> {
    const { path, permission } = random.pick(PROBES);
    const request = { method: 'GET', path, permission };
    if (random.chance(0.03)) {
      await basic.ask(request, `wrong-${random.integer(0, 99)}`);
      return;
    }
    const asked = await basic.ask(request);
    judgeGranted(world, asked, { who, identity, path });
    if (asked.answer.status === 401) basic.learnPassword(random);
  }

  return createActor(world, options, { act, close: () => client.close() });
}

/** Creates a program that authenticates with its client certificate at every request. */
export function createCertificateUser(world: PeopleWorld, options: StatelessUserOptions): Person {
  const { name: who, random, address, identity } = options;
  const place = { address, certificateOf: identity };
  const client = new RestClient(world, { who, kind: 'client-auth', place });

  async function act(): Promise<void> {
    const { path, permission } = random.pick(PROBES);
    const asked = await client.ask({ method: 'GET', path });
    const states = world.identities.during(identity, asked);
    const statuses = tuningsDuring(world, asked).flatMap((tuning) => {
      if (!isCardPortOpen(tuning)) return [404];
      return states.map((state) => {
        if (state === undefined || !tuning.statelessCertificateAuthenticationEnabled) return 401;
        return hasPermission(state, permission) ? 200 : 403;
      });
    });
    judge(world, asked, {
      who,
      what: `${path} with the certificate of ${identity}`,
      statuses: unique(statuses),
    });
    judgeGranted(world, asked, { who, identity, path });
  }

  return createActor(world, options, { act, close: () => client.close() });
}
