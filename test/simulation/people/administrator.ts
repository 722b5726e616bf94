import { ConnectionEnded } from '../http/rest-connection.ts';
import { drawGrants } from './held-grants.ts';
import type { HeldGrant } from './held-grants.ts';
import type { HeldSession } from './held-session.ts';
import type { IdentityState } from './identity-model.ts';
import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { GIVEN_PERMISSIONS } from './probes.ts';
import { RestClient } from './rest-client.ts';
import type { Asked, PersonRequest } from './rest-client.ts';
import { SessionClient } from './session-client.ts';

const IDENTITIES = '/services/identity/v1/identities';
// A change that was under way when its connection ended has been carried out by then, or never will be.
const SETTLED_AFTER_MS = 120_000;

interface AdministratorOptions extends ActorOptions {
  readonly address: string;
  readonly credentials: { readonly name: string; readonly password: string };
  /** The identities that are created, changed and removed. */
  readonly managed: readonly string[];
}

type Change = 'permissions' | 'force' | 'reset' | 'remove' | 'list' | 'refused';

const WEIGHTS: Readonly<Record<Change, number>> = {
  permissions: 40,
  force: 8,
  reset: 12,
  remove: 10,
  list: 15,
  refused: 15,
};

/** Creates somebody who creates, changes and removes identities, and checks that the gateway does what it says. */
export function createAdministrator(world: PeopleWorld, options: AdministratorOptions): Person {
  const { name: who, random, address, credentials, managed } = options;
  const { identities, time } = world;
  const chances = random.branch('grants');
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const sessions = new SessionClient(world, who, client);
  let session: HeldSession | undefined;

  async function ask(request: Omit<PersonRequest, 'headers'>, expected: number): Promise<Asked | undefined> {
    if (session?.run !== world.gateway.run()) session = await open();
    if (session === undefined) return undefined;
    const headers = { 'Content-Type': 'application/json' };
    const actor = credentials.name;
    const asked = await sessions.use(session, { ...request, headers, actor }, 'rest.identity', [expected]);
    if (asked.answer.status === 401) {
      session = undefined;
      return undefined;
    }
    judge(world, asked, { who, what: `${request.method} ${String(request.body)}`, statuses: [expected] });
    return asked.answer.status === expected ? asked : undefined;
  }

  async function open(): Promise<HeldSession | undefined> {
    const opened = await sessions.login(credentials);
    return opened !== undefined && (await sessions.fetchXsrfToken(opened)) !== undefined ? opened : undefined;
  }

  /** Asks for a change; when its answer does not come, the identity stays locked. */
  async function change(
    name: string,
    request: Omit<PersonRequest, 'headers'>,
    after: IdentityState | undefined,
  ): Promise<boolean> {
    const pending = identities.begin(name, after, time.monotonicMs());
    try {
      const asked = await ask(request, 200);
      if (asked === undefined) pending.drop();
      else {
        pending.settle(after, asked.answeredMs);
        if (after !== undefined) checkEmpty(asked);
      }
      identities.noteKnown(name);
      return asked !== undefined;
    } catch (error) {
      if (error instanceof ConnectionEnded) identities.leaveUnknown(name, time.monotonicMs());
      throw error;
    }
  }

  /** The answer says nothing of the identity; the list tells what became of it. */
  function checkEmpty({ answer }: Asked): void {
    if (answer.body !== '')
      world.chronicle.break('answer-shape', `${who}: ${answer.body} instead of nothing`);
  }

  function create(name: string): Promise<boolean> {
    const after: IdentityState = {
      incarnation: identities.nextNumber(),
      credentials: identities.nextNumber(),
      password: newPassword(),
      isChangeNeeded: random.chance(0.1),
      permissions: drawPermissions(),
      grants: drawTheirGrants(),
    };
    return change(name, toRequest('POST', name, after), after);
  }

  /** Gives an identity of which nobody knows what it is a known state. */
  async function settle(name: string): Promise<void> {
    const nowMs = time.monotonicMs();
    const possible = identities.during(name, { askedMs: nowMs, answeredMs: nowMs });
    const there = possible.find((state) => state !== undefined);
    const isHere = await find(name);
    if (isHere === undefined) return;
    if (!isHere || there === undefined) {
      if (isHere || possible.every((state) => state !== undefined))
        world.chronicle.break('configuration-kept', `${who}: ${name} is ${isHere ? '' : 'not '}there`);
      identities.begin(name, undefined, nowMs).settle(undefined, time.monotonicMs());
      identities.noteKnown(name);
      return;
    }
    const after = {
      ...there,
      credentials: identities.nextNumber(),
      password: newPassword(),
      isChangeNeeded: false,
      permissions: drawPermissions(),
      grants: drawTheirGrants(),
    };
    const pending = identities.begin(name, after, time.monotonicMs());
    const asked = await ask(toRequest('PUT', name, after), 200);
    // Without an answer it is as unknown as before.
    if (asked === undefined) return;
    pending.settle(after, asked.answeredMs);
    identities.noteKnown(name);
  }

  async function find(name: string): Promise<boolean | undefined> {
    const asked = await list();
    return asked?.some(({ userName }) => userName === name);
  }

  async function list(): Promise<readonly ReturnType<typeof toRecord>[] | undefined> {
    const asked = await ask({ method: 'GET', path: IDENTITIES }, 200);
    if (asked === undefined) return undefined;
    const { userConfig } = JSON.parse(asked.answer.body) as { userConfig: ReturnType<typeof toRecord>[] };
    for (const name of [...managed, credentials.name]) {
      const shown = JSON.stringify(userConfig.find(({ userName }) => userName === name));
      const possible = identities
        .during(name, asked)
        .map((state) => (state === undefined ? undefined : JSON.stringify(toRecord(name, state))));
      if (!possible.includes(shown))
        world.chronicle.break(
          'configuration-kept',
          `${who}: ${name} is ${shown}, not ${possible.join(' or ')}`,
        );
    }
    return userConfig;
  }

  async function beRefused(): Promise<void> {
    const name = random.pick(managed);
    const isHere = identities.latest(name) !== undefined;
    const record = { userName: name };
    const refused = random.pick<[string, object, number]>([
      ['POST', { ...record, userName: credentials.name }, 400],
      ['DELETE', { userName: credentials.name }, 409],
      ['PUT', { ...record, userName: 'nobody at all' }, 404],
      ['PUT', { userName: credentials.name, permissions: [] }, 409],
      ['POST', { ...record, userName: 'ab' }, 400],
      ['POST', { ...record, unknown: 1 }, 400],
      ['PUT', { ...record, password: 'short' }, isHere ? 400 : 404],
      ['PUT', { ...record, password: newPassword(), passwordAuthEnabled: false }, isHere ? 400 : 404],
    ]);
    const [method, body, status] = refused;
    if (!identities.tryLock(name)) return;
    try {
      await ask({ method, path: IDENTITIES, body: JSON.stringify(body) }, status);
    } finally {
      identities.unlock(name);
    }
  }

  async function alter(name: string, before: IdentityState, kind: Change): Promise<void> {
    if (kind === 'remove') {
      const body = JSON.stringify({ userName: name });
      const path = random.pick([IDENTITIES, `${IDENTITIES}/byName`]);
      // Half of them come back at once, as others.
      const isGone = await change(name, { method: 'DELETE', path, body }, undefined);
      if (isGone && random.chance(0.5) && identities.tryLock(name)) await create(name);
      return;
    }
    const after = {
      ...before,
      ...(kind === 'permissions' ? { permissions: drawPermissions(), grants: drawTheirGrants() } : {}),
      ...(kind === 'force' ? { isChangeNeeded: true } : {}),
      ...(kind === 'reset' ? { isChangeNeeded: false, ...drawCredentials(before) } : {}),
    };
    const given: Record<string, unknown> = { userName: name };
    if (kind === 'permissions') {
      given['permissions'] = after.permissions;
      given['grants'] = after.grants;
    } else given['passwordChangeNeeded'] = after.isChangeNeeded;
    if (kind === 'reset' && after.password === undefined) given['passwordAuthEnabled'] = false;
    else if (kind === 'reset') given['password'] = after.password;
    await change(name, { method: 'PUT', path: IDENTITIES, body: JSON.stringify(given) }, after);
  }

  async function act(): Promise<void> {
    const unknown = identities.findUnknown(time.monotonicMs() - SETTLED_AFTER_MS);
    if (unknown !== undefined) return settle(unknown);
    const missing = managed.find((name) => !identities.names.includes(name));
    const name = missing ?? random.pick(managed);
    const kind = random.pickWeighted(WEIGHTS);
    if (missing === undefined && kind === 'list') return void (await list());
    if (missing === undefined && kind === 'refused') return beRefused();
    if (!identities.tryLock(name)) return;
    const before = identities.latest(name);
    if (before === undefined) await create(name);
    else await alter(name, before, kind);
  }

  function newPassword(): string {
    return `password-${identities.nextNumber()}`;
  }

  function drawCredentials({ password }: IdentityState): Pick<IdentityState, 'password' | 'credentials'> {
    const isTaken = password !== undefined && random.chance(0.2);
    return { password: isTaken ? undefined : newPassword(), credentials: identities.nextNumber() };
  }

  function drawTheirGrants(): readonly HeldGrant[] {
    return drawGrants(chances, world.gateway.epochMs());
  }

  function drawPermissions(): readonly string[] {
    return GIVEN_PERMISSIONS.filter((permission) => random.chance(permission === 'rest.assets' ? 0.8 : 0.3));
  }

  return createActor(world, options, { act, close: () => client.close() });
}

function toRecord(name: string, { password, isChangeNeeded, permissions, grants }: IdentityState) {
  return {
    userName: name,
    passwordAuthEnabled: password !== undefined,
    passwordChangeNeeded: isChangeNeeded,
    secondFactorEnabled: false,
    secondFactorRequired: false,
    permissions,
    grants,
  };
}

function toRequest(method: string, name: string, state: IdentityState): Omit<PersonRequest, 'headers'> {
  const { passwordAuthEnabled: _enabled, ...record } = toRecord(name, state);
  const body = JSON.stringify({ ...record, password: state.password });
  return { method, path: IDENTITIES, body };
}
