import { ConnectionEnded } from '../http/rest-connection.ts';
import { judgeGranted } from './held-grants.ts';
import type { HeldSession } from './held-session.ts';
import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { CURRENT_IDENTITY, PROBES } from './probes.ts';
import { RestClient } from './rest-client.ts';
import { SessionClient } from './session-client.ts';

const MAXIMUM_SESSIONS = 3;

interface SessionUserOptions extends ActorOptions {
  readonly address: string;
  readonly identity: string;
}

const WEIGHTS = {
  probe: 50,
  currentIdentity: 15,
  open: 6,
  openByCertificate: 4,
  openAnother: 2,
  reopen: 2,
  wrongXsrf: 4,
  logout: 4,
  ended: 6,
  guess: 1,
  changePassword: 3,
  refusedChange: 3,
  fallAsleep: 2,
};

/** A session that is left alone, but for what must not keep it alive. */
interface Sleep {
  readonly session: HeldSession;
  readonly untilMs: number;
}

/** Creates somebody who works in sessions, and tries those that have ended as well. */
export function createSessionUser(world: PeopleWorld, options: SessionUserOptions): Person {
  const { name: who, random, address, identity } = options;
  const { identities, settings, time, gateway } = world;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const sessions = new SessionClient(world, who, client);
  const place = { address, certificateOf: identity };
  const ownClient = new RestClient(world, { who: `${who}.card`, kind: 'client-auth', place });
  const ownSessions = new SessionClient(world, `${who}.card`, ownClient);
  let held: HeldSession[] = [];
  let ended: HeldSession[] = [];
  let password = '';
  let sleep: Sleep | undefined;

  async function open(carried?: HeldSession): Promise<void> {
    const session = await sessions.login({ name: identity, password, carried });
    if (carried !== undefined) await leaveBehind(carried);
    // Whoever is refused asks an administrator, sooner or later.
    if (session !== undefined) await keep(session);
    else if (random.chance(0.5)) password = identities.latest(identity)?.password ?? password;
  }

  // Whoever has its cookie may try it again at once.
  async function leaveBehind(carried: HeldSession): Promise<void> {
    giveUp(carried);
    if (carried.xsrfToken !== undefined && random.chance(0.5))
      await use(carried, CURRENT_IDENTITY, undefined);
  }

  async function openByCertificate(): Promise<void> {
    if (!settings.hasClientAuthPort) return;
    const session = await ownSessions.loginByCertificate(identity);
    if (session !== undefined) await keep(session);
  }

  async function keep(session: HeldSession): Promise<void> {
    held = [...held, session];
    await prepare(session);
  }

  async function prepare(session: HeldSession): Promise<void> {
    if ((await sessions.fetchXsrfToken(session)) === undefined) giveUp(session);
  }

  function giveUp(session: HeldSession): void {
    held = held.filter((other) => other !== session);
    // One that never had its token cannot be told from a wrong token.
    if (session.xsrfToken !== undefined && !ended.includes(session)) ended = [...ended, session].slice(-5);
  }

  async function use(session: HeldSession, path: string, permission: string | undefined): Promise<void> {
    const asked = await sessions.use(session, { method: 'GET', path }, permission);
    const { status, body } = asked.answer;
    if (status === 401) giveUp(session);
    judgeGranted(world, asked, { who, identity, path });
    if (status !== 200 || path !== CURRENT_IDENTITY) return;
    const possible = identities.during(identity, asked).map((state) =>
      state === undefined
        ? ''
        : JSON.stringify({
            name: identity,
            passwordChangeNeeded: state.isChangeNeeded,
            permissions: state.permissions,
            grants: state.grants.length === 0 ? undefined : state.grants,
          }),
    );
    if (!possible.includes(body))
      world.chronicle.break(
        'access-ended',
        `${who}: currentIdentity is ${body}, not ${possible.join(' or ')}`,
      );
  }

  function fallAsleep(session: HeldSession): void {
    const idleMs =
      1000 * world.tuning.latest.sessionInactivityIntervalSeconds * (0.9 + 0.3 * random.fraction());
    sleep = { session, untilMs: time.monotonicMs() + idleMs };
  }

  async function dream({ session, untilMs }: Sleep): Promise<void> {
    if (time.monotonicMs() < untilMs) return useWithoutXsrf(session);
    sleep = undefined;
    return use(session, CURRENT_IDENTITY, undefined);
  }

  function useWithoutXsrf(session: HeldSession): Promise<void> {
    const token = random.chance(0.5) ? undefined : random.bytes(32).toString('base64url');
    return sessions.useWithoutXsrf(session, CURRENT_IDENTITY, token);
  }

  async function guess(): Promise<void> {
    const cookie = random.bytes(32).toString('base64url');
    const headers = { Cookie: `JSESSIONID=${cookie}`, 'X-XSRF-Token': cookie };
    const asked = await client.ask({ method: 'GET', path: CURRENT_IDENTITY, headers });
    judge(world, asked, { who, what: 'a session that was never opened', statuses: [401] });
  }

  async function changePassword(session: HeldSession, current: string, next: string): Promise<void> {
    if (!identities.tryLock(identity)) return;
    try {
      await sessions.changePassword(session, current, next);
      if (identities.latest(identity)?.password === next) password = next;
      identities.unlock(identity);
      // Those who work in other sessions of the same identity go on at once.
      for (const other of held) await use(other, CURRENT_IDENTITY, undefined);
    } catch (error) {
      if (error instanceof ConnectionEnded) identities.leaveUnknown(identity, time.monotonicMs());
      throw error;
    }
  }

  async function act(): Promise<void> {
    if (sleep !== undefined) return dream(sleep);
    const kind = random.pickWeighted(WEIGHTS);
    if (kind === 'guess') return guess();
    const last = ended.at(-1);
    if (kind === 'ended' && last !== undefined) return use(last, CURRENT_IDENTITY, undefined);
    const [session] = held.length === 0 ? [] : [random.pick(held)];
    if (session === undefined) return kind === 'openByCertificate' ? openByCertificate() : open();
    // Half of those who find the gateway started anew know that their sessions have ended.
    if (session.run !== gateway.run() && random.chance(0.5)) return giveUp(session);
    return session.xsrfToken === undefined ? prepare(session) : actIn(session, kind);
  }

  async function actIn(session: HeldSession, kind: keyof typeof WEIGHTS): Promise<void> {
    const isLocked = identities.latest(identity)?.isChangeNeeded === true && session.method === 'password';
    if (isLocked && random.chance(0.5)) return changePassword(session, password, newPassword());
    switch (kind) {
      case 'probe':
      case 'ended':
      case 'guess': {
        const { path, permission } = random.pick(PROBES);
        return use(session, path, permission);
      }
      case 'currentIdentity':
        return use(session, CURRENT_IDENTITY, undefined);
      case 'open':
      case 'openAnother':
        return held.length < MAXIMUM_SESSIONS ? open() : use(session, CURRENT_IDENTITY, undefined);
      case 'openByCertificate':
        return held.length < MAXIMUM_SESSIONS ? openByCertificate() : undefined;
      case 'reopen':
        return open(session);
      case 'wrongXsrf':
        return useWithoutXsrf(session);
      case 'fallAsleep':
        return fallAsleep(session);
      case 'logout':
        await sessions.logout(session).finally(() => giveUp(session));
        return undefined;
      case 'changePassword':
        return changePassword(session, password, newPassword());
      case 'refusedChange':
        return changePassword(session, ...drawRefusedChange());
    }
  }

  function drawRefusedChange(): [current: string, next: string] {
    return random.pick<[string, string]>([
      [password, password],
      [password, 'short'],
      ['not-the-password', newPassword()],
      ['', newPassword()],
      [password, ' '],
    ]);
  }

  function newPassword(): string {
    return `own-password-${identities.nextNumber()}`;
  }

  const close = (): void => {
    client.close();
    ownClient.close();
  };
  return createActor(world, options, { act, close });
}
