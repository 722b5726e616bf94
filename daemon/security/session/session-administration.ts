import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import { getCaller, getAdministered } from '../identity/granting-rules.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity, Principal } from '../identity/identity.ts';
import { IDENTITY_PERMISSION, isPermitted } from '../identity/permission.ts';
import type { SessionStore } from './session-store.ts';
import { findDutyIn, findExpiry, isSessionOf } from './session.ts';
import type { LoginMethod, Session, SessionOrigin } from './session.ts';

/** What others than its owner may know of a session; times are milliseconds since the epoch. */
export interface SessionView {
  readonly handle: string;
  readonly identityName: string;
  readonly method: LoginMethod;
  readonly origin: SessionOrigin;
  readonly createdAtMs: number;
  readonly lastUsedMs: number;
  /** When it ends unless it is used again. */
  readonly expiresAtMs: number;
  /** It can only be used to change the password. */
  readonly isLocked: boolean;
  /** The request that asks came with it. */
  readonly isCurrent: boolean;
}

/** Who asks, and the session that the request came with. */
export interface SessionCaller {
  readonly principal: Principal;
  readonly sessionId: string | undefined;
}

/** What was ended. */
export interface EndedSessions {
  readonly identityName: string;
  readonly count: number;
  /** The session of the request is among them. */
  readonly isCurrent: boolean;
}

interface SessionAdministrationOptions {
  readonly sessions: SessionStore;
  readonly identities: Pick<IdentityStore, 'find' | 'get'>;
  readonly inactivityIntervalMs: () => number;
  readonly clock: Clock;
}

/**
 * Lists and ends sessions. Each identity may do so with its own ones; with the permission for identities with those of
 * others as well, but like other changes of an identity only when the caller has every permission that this one has.
 */
export class SessionAdministration {
  readonly #options: SessionAdministrationOptions;

  constructor(options: SessionAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Lists the sessions that the caller may see, in order of their login.
   *
   * @throws {NotAuthenticated} `NOT_AUTHENTICATED` when the proof of the caller is no longer valid
   */
  list({ principal, sessionId }: SessionCaller): readonly SessionView[] {
    const { identities, inactivityIntervalMs, clock } = this.#options;
    const monotonicMs = clock.monotonicMs();
    const toEpoch = (timeMs: number): number => Math.round(clock.epochMs() - (monotonicMs - timeMs));
    return this.#listVisible(getCaller(principal, identities)).map(([session, identity]) => ({
      handle: session.handle,
      identityName: identity.name,
      method: session.method,
      origin: session.origin,
      createdAtMs: toEpoch(session.createdAtMs),
      lastUsedMs: toEpoch(session.lastUsedMs),
      expiresAtMs: toEpoch(findExpiry(session, inactivityIntervalMs())),
      isLocked: findDutyIn(session, identity) !== undefined,
      isCurrent: session.id === sessionId,
    }));
  }

  /**
   * Ends one session.
   *
   * @throws {NotFound} `SESSION_NOT_FOUND`, also when the caller may not see it
   * @throws {NotPermitted} `PERMISSION_BEYOND_OWN`
   * @throws as `list` does
   */
  end(handle: string, caller: SessionCaller): EndedSessions {
    const { identities } = this.#options;
    const own = getCaller(caller.principal, identities);
    const found = this.#listVisible(own).find(([session]) => session.handle === handle);
    if (found === undefined) {
      throw new NotFound({ code: 'SESSION_NOT_FOUND', detail: 'unknown session' });
    }
    const [session, identity] = found;
    getAdministered(identity.name, own, identities);
    return this.#endThem([session], identity.name, caller);
  }

  /**
   * Ends all sessions of an identity; there may be none.
   *
   * @throws {NotFound} `IDENTITY_NOT_FOUND`
   * @throws {NotPermitted} `PERMISSION_MISSING` for another identity than that of the caller, or `PERMISSION_BEYOND_OWN`
   * @throws as `list` does
   */
  endAllOf(identityName: string, caller: SessionCaller): EndedSessions {
    const { sessions, identities } = this.#options;
    const target = getAdministered(identityName, getCaller(caller.principal, identities), identities);
    const ended = sessions.list().filter(({ identityId }) => identityId === target.id);
    return this.#endThem(ended, identityName, caller);
  }

  /** Lists the sessions that the caller may see with their identities; those that are void are as good as ended. */
  #listVisible(caller: Identity): readonly (readonly [Session, Identity])[] {
    const { sessions, identities } = this.#options;
    const isForAll = isPermitted(caller, IDENTITY_PERMISSION);
    return sessions.list().flatMap((session) => {
      const identity = identities.find(session.identityName);
      if (identity === undefined || !isSessionOf(session, identity)) return [];
      return isForAll || identity.id === caller.id ? [[session, identity] as const] : [];
    });
  }

  #endThem(ended: readonly Session[], identityName: string, { sessionId }: SessionCaller) {
    const { sessions } = this.#options;
    for (const { id } of ended) sessions.remove(id);
    return { identityName, count: ended.length, isCurrent: ended.some(({ id }) => id === sessionId) };
  }
}
