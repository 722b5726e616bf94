import type { HeldSession } from './held-session.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { CURRENT_IDENTITY } from './probes.ts';
import { RestClient } from './rest-client.ts';
import { SessionClient } from './session-client.ts';

interface SteadyUserOptions extends ActorOptions {
  readonly address: string;
  /** Of an identity that nobody changes. */
  readonly credentials: { readonly name: string; readonly password: string };
}

/** Creates a screen that never lets its session rest, until the gateway ends it. */
export function createSteadyUser(world: PeopleWorld, options: SteadyUserOptions): Person {
  const { name: who, address, credentials } = options;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const sessions = new SessionClient(world, who, client);
  let session: HeldSession | undefined;

  async function act(): Promise<void> {
    if (session === undefined) {
      const opened = await sessions.login(credentials);
      if (opened !== undefined && (await sessions.fetchXsrfToken(opened)) !== undefined) session = opened;
      return;
    }
    const { answer } = await sessions.use(session, { method: 'GET', path: CURRENT_IDENTITY }, undefined);
    if (answer.status === 401) session = undefined;
  }

  return createActor(world, options, { act, close: () => client.close() });
}
