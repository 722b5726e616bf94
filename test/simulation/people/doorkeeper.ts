import type { AnswerOf } from '../../../daemon/interface/endpoint.ts';
import type { listSessions, OpenSession } from '../../../daemon/interface/security/sessions.ts';
import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { askIn, askLogin, takeSession } from './plain-session.ts';
import type { PlainSession } from './plain-session.ts';
import { CURRENT_IDENTITY } from './probes.ts';
import { RestClient } from './rest-client.ts';
import { RootClient } from './root-client.ts';

interface DoorkeeperOptions extends ActorOptions {
  readonly address: string;
  readonly credentials: { readonly name: string; readonly password: string };
}

const GUEST = 'guest';
const PASSWORD = 'password-of-turbines';
const SESSIONS = '/services/session/v1/sessions';
const MOST_SESSIONS = 4;
const KEPT = 5;

/** Creates an administrator who looks which sessions of a guest are open, and ends some of them. */
export function createDoorkeeper(world: PeopleWorld, options: DoorkeeperOptions): Person {
  const { name: who, random, address, credentials } = options;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const guest = new RestClient(world, { who: `${who}.guest`, kind: 'https', place: { address } });
  const root = new RootClient(world, { who, client, credentials });
  let isThere = false;
  let ended: readonly PlainSession[] = [];

  async function act(): Promise<void> {
    const run = world.gateway.run();
    if (!isThere) {
      isThere = await root.makeAnew(GUEST, PASSWORD);
      return;
    }
    await tryEnded();
    if ((await root.ask({ method: 'DELETE', path: `${SESSIONS}?identity=${GUEST}` }, [200])) === undefined)
      return;
    const open = await openSome();
    if (open === undefined || world.gateway.run() !== run) return;
    const listed = await list();
    if (listed === undefined || world.gateway.run() !== run) return;
    if (listed.length !== open.length) {
      const text = `${open.length} sessions of ${GUEST} are open, and ${listed.length} are listed`;
      world.chronicle.break('answer-shape', `${who}: ${text}`);
    }
    const left = await endSome(open);
    if (left === undefined || world.gateway.run() !== run) return;
    for (const session of open) await check(session, left.includes(session) ? 200 : 401);
    ended = [...ended, ...open.filter((session) => !left.includes(session))].slice(-KEPT);
  }

  async function openSome(): Promise<readonly PlainSession[] | undefined> {
    const open: PlainSession[] = [];
    for (let left = random.integer(1, MOST_SESSIONS); left > 0; left -= 1) {
      const asked = await askLogin(guest, { username: GUEST, password: PASSWORD });
      judge(world, asked, { who, what: `a login of ${GUEST}`, statuses: [200] });
      const session = await takeSession(guest, asked);
      if (session === undefined) return undefined;
      open.push(session);
    }
    return open;
  }

  async function list(by?: PlainSession): Promise<readonly OpenSession[] | undefined> {
    const request = { method: 'GET', path: SESSIONS };
    const asked = by === undefined ? await root.ask(request, [200]) : await askIn(guest, by, request);
    if (asked?.answer.status !== 200) return undefined;
    const { sessions } = JSON.parse(asked.answer.body) as AnswerOf<typeof listSessions>;
    const own = sessions.filter(({ identity }) => identity === GUEST);
    if (by !== undefined && own.length < sessions.length)
      world.chronicle.break('access-ended', `${who}: ${GUEST} sees sessions of others`);
    return own;
  }

  /** @returns those that are left; undefined: nobody knows */
  async function endSome(open: readonly PlainSession[]): Promise<readonly PlainSession[] | undefined> {
    const [chosen] = open;
    if (chosen === undefined) return undefined;
    if (random.chance(0.4)) {
      const asked = await root.ask({ method: 'DELETE', path: `${SESSIONS}?identity=${GUEST}` }, [200]);
      if (asked === undefined) return undefined;
      const expected = JSON.stringify({ ended: open.length });
      if (asked.answer.body !== expected)
        world.chronicle.break('answer-shape', `${who}: ${asked.answer.body} instead of ${expected}`);
      return [];
    }
    // Which of them it is only the session itself is told.
    const id = (await list(chosen))?.find(({ isCurrent }) => isCurrent)?.id;
    if (id === undefined) return undefined;
    const request = { method: 'DELETE', path: `${SESSIONS}/${id}` };
    const isByRoot = random.chance(0.5);
    const by = random.pick(open);
    const asked = isByRoot
      ? await root.ask(request, [204])
      : await askIn(guest, by, { ...request, actor: GUEST });
    if (asked === undefined) return undefined;
    judge(world, asked, { who, what: `the end of a session of ${GUEST}`, statuses: [204] });
    if (asked.answer.status !== 204) return undefined;
    await root.ask(request, [404]);
    return open.filter((session) => session !== chosen);
  }

  async function check(session: PlainSession, status: number): Promise<void> {
    const asked = await askIn(guest, session, { method: 'GET', path: CURRENT_IDENTITY });
    const what = status === 200 ? 'a session that was not ended' : 'a session that was ended';
    judge(world, asked, { who, what, statuses: [status] });
  }

  // Neither time nor a restart opens it again.
  async function tryEnded(): Promise<void> {
    if (ended.length > 0) await check(random.pick(ended), 401);
  }

  const close = (): void => {
    client.close();
    guest.close();
  };
  return createActor(world, options, { act, close });
}
