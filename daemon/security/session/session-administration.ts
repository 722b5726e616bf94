import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import { getCaller, getAdministered } from '../identity/granting-rules.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity, Principal } from '../identity/identity.ts';
import { IDENTITY_PERMISSION, isPermitted } from '../identity/permission.ts';
import type { SessionStore } from './session-store.ts';
import { findRequiredActionIn, findExpiry, isSessionOf } from './session.ts';
import type { LoginMethod, Session, SessionOrigin } from './session.ts';

/** Public view of a session, without its secrets; times are milliseconds since the epoch. */
export interface SessionView {
  readonly handle: string;
  readonly identityName: string;
  readonly method: LoginMethod;
  readonly origin: SessionOrigin;
  readonly createdAtMs: number;
  readonly lastUsedMs: number;
  /** Expiry if the session is not used. */
  readonly expiresAtMs: number;
  /** True if the session only serves a required action. */
  readonly isLocked: boolean;
  /** True for the session of the request. */
  readonly isCurrent: boolean;
}

/** Principal and session of a request. */
export interface SessionCaller {
  readonly principal: Principal;
  readonly sessionId: string | undefined;
}

/** Result of ending sessions. */
export interface EndedSessions {
  readonly identityName: string;
  readonly count: number;
  /** True if the session of the request was ended. */
  readonly isCurrent: boolean;
}

interface SessionAdministrationOptions {
  readonly sessions: SessionStore;
  readonly identities: Pick<IdentityStore, 'find' | 'get'>;
  readonly inactivityIntervalMs: () => number;
  readonly clock: Clock;
}

/**
 * Lists and ends sessions. Every identity may manage its own sessions. With the permission for identities it may also manage
 * those of others, if it has every permission that the other identity has.
 */
export class SessionAdministration {
  readonly #options: SessionAdministrationOptions;

  constructor(options: SessionAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Lists the sessions visible to the caller, in login order.
   *
   * @throws {NotAuthenticated} `NOT_AUTHENTICATED` if the credentials of the caller are no longer valid
   */
  list({ principal, sessionId }: SessionCaller): readonly SessionView[] {
    const { identities, inactivityIntervalMs, clock } = this.#options;
    // Read once, so that the times of a session are as far apart as they are.
    const offsetMs = Math.round(clock.epochMs() - clock.monotonicMs());
    const toEpoch = (timeMs: number): number => offsetMs + Math.round(timeMs);
    return this.#listVisible(getCaller(principal, identities)).map(([session, identity]) => ({
      handle: session.handle,
      identityName: identity.name,
      method: session.method,
      origin: session.origin,
      createdAtMs: toEpoch(session.createdAtMs),
      lastUsedMs: toEpoch(session.lastUsedMs),
      expiresAtMs: toEpoch(findExpiry(session, inactivityIntervalMs())),
      isLocked: findRequiredActionIn(session, identity) !== undefined,
      isCurrent: session.id === sessionId,
    }));
  }

  /**
   * Ends one session.
   *
   * @throws {NotFound} `SESSION_NOT_FOUND`, also if the session is not visible to the caller
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
   * @throws {NotPermitted} `PERMISSION_MISSING` for the sessions of another identity, or `PERMISSION_BEYOND_OWN`
   * @throws as `list` does
   */
  endAllOf(identityName: string, caller: SessionCaller): EndedSessions {
    const { sessions, identities } = this.#options;
    const target = getAdministered(identityName, getCaller(caller.principal, identities), identities);
    const ended = sessions.list().filter(({ identityId }) => identityId === target.id);
    return this.#endThem(ended, identityName, caller);
  }

  /** Lists the sessions visible to the caller with their identities; invalid sessions are omitted. */
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
