import { hasPermission } from './identity-model.ts';
import type { IdentityState, Period } from './identity-model.ts';
import type { PeopleWorld } from './people-world.ts';

/** Moments between which something happened in the gateway. */
interface Between {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A session as its holder knows it. */
export interface HeldSession {
  readonly cookie: string;
  readonly name: string;
  readonly method: 'password' | 'certificate';
  /** The run of the gateway that opened it. */
  readonly run: number;
  /** What the identity can have been when it was opened. */
  readonly bornAs: readonly IdentityState[];
  readonly openedMs: Between;
  xsrfToken: string | undefined;
  usedMs: Between;
  /** When it was ended on purpose; the end is infinite where nobody knows whether it was. */
  ended: Between | undefined;
}

/** What a request with a session asks for. */
export interface SessionUse {
  /** Undefined: none is needed. */
  readonly permission: string | undefined;
  readonly isOpenToLocked?: boolean;
}

const ABSOLUTE_LIMIT_MS = 12 * 3_600_000;

/** Returns with which statuses a request with a session and its XSRF token can be answered. */
export function statusesOf(
  world: PeopleWorld,
  session: HeldSession,
  period: Period & SessionUse,
): readonly number[] {
  const life = lifeOf(world, session, period);
  if (life === 'ENDED') return [401];
  const statuses = world.identities.during(session.name, period).map((state) => {
    if (state === undefined || !isBearer(session, state)) return 401;
    if (session.method === 'password' && state.isChangeNeeded && period.isOpenToLocked !== true) return 401;
    return hasPermission(state, period.permission) ? 200 : 403;
  });
  return life === 'ALIVE' ? statuses : [...statuses, 401];
}

/** Returns whether a state of an identity is one that the session belongs to. */
export function isBearer({ bornAs }: HeldSession, state: IdentityState): boolean {
  return bornAs.some(
    ({ incarnation, credentials }) => incarnation === state.incarnation && credentials === state.credentials,
  );
}

/** Notes a request with the session: it is used when the gateway has accepted it. */
export function noteUse(session: HeldSession, period: Period, isAccepted: boolean | 'UNKNOWN'): void {
  const { askedMs, answeredMs } = period;
  if (isAccepted === true) session.usedMs = { fromMs: askedMs, toMs: answeredMs };
  else if (isAccepted === 'UNKNOWN') session.usedMs = { fromMs: session.usedMs.fromMs, toMs: answeredMs };
}

function lifeOf(
  world: PeopleWorld,
  { run, usedMs, openedMs, ended }: HeldSession,
  { askedMs, answeredMs }: Period,
): 'ALIVE' | 'ENDED' | 'UNKNOWN' {
  if (run !== world.gateway.run() || (ended !== undefined && ended.toMs <= askedMs)) return 'ENDED';
  const inactivitiesMs = (fromMs: number): readonly number[] =>
    world.tuning.during(fromMs, answeredMs).map((tuning) => tuning.sessionInactivityIntervalSeconds * 1000);
  // A session may have ended by an earlier setting already, or go on by a later one.
  const longestMs = Math.max(...inactivitiesMs(askedMs));
  const shortestMs = Math.min(...inactivitiesMs(usedMs.fromMs));
  const isOver = (since: Between, limitMs: number): boolean => askedMs - since.toMs >= limitMs;
  const mayBeOver = (since: Between, limitMs: number): boolean => answeredMs - since.fromMs >= limitMs;
  if (isOver(usedMs, longestMs) || isOver(openedMs, ABSOLUTE_LIMIT_MS)) return 'ENDED';
  const isUnsure =
    mayBeOver(usedMs, shortestMs) || mayBeOver(openedMs, ABSOLUTE_LIMIT_MS) || ended !== undefined;
  return isUnsure ? 'UNKNOWN' : 'ALIVE';
}
