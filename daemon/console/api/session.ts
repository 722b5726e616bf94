import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { RestFailure } from './rest-failure.ts';
import type { Rest } from './rest.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import type {
  changeOwnPassword,
  IdentityInfo,
  logInByCertificate,
  logInByPassword,
  logOut,
  readLoginMethods,
} from '../../interface/security/session.ts';
import type {
  beginSecondFactor,
  confirmSecondFactor,
  SecondFactorSecret,
} from '../../interface/security/second-factor.ts';

const ROOT = '/services/session/v1';

/** State of the page's session. */
export type SessionState =
  /** Not requested from the gateway yet. */
  | { readonly kind: 'UNKNOWN' }
  /** The former identity was signed in on this page before; its page stays below the panel. */
  | {
      readonly kind: 'SIGNED_OUT';
      readonly former: IdentityInfo | undefined;
      /** The session ended because the former identity changed its password. */
      readonly isPasswordChanged?: boolean;
    }
  /** Another tab signed in as another identity: the page of the former one is hidden, and nothing is sent. */
  | { readonly kind: 'REPLACED'; readonly former: IdentityInfo | undefined; readonly current: IdentityInfo }
  /** The password must be changed first. */
  | { readonly kind: 'PASSWORD_CHANGE'; readonly name: string; readonly password: string }
  /** A second factor must be set up first. */
  | { readonly kind: 'ENROLMENT'; readonly name: string; readonly password: string }
  | { readonly kind: 'SIGNED_IN'; readonly identity: IdentityInfo; readonly message: string | undefined };

/** Session of the page: sign-in, password change, sign-out. */
export class PageSession {
  readonly #rest: Rest;
  readonly #state = signal<SessionState>({ kind: 'UNKNOWN' });
  readonly #notifyTabs = connectTabs(() => void this.#lookAgain());

  constructor(rest: Rest) {
    this.#rest = rest;
    rest.watchSession({
      onFound: (identity) => this.#refresh(identity),
      onGone: () => this.#leave(),
      onReplaced: (current) => this.#replace(current),
    });
  }

  get state(): ReadonlySignal<SessionState> {
    return this.#state;
  }

  /** Name of the identity that is signed in, or was until the session ended. */
  get name(): string | undefined {
    return this.#identity?.name;
  }

  /** True if the signed-in identity has a permission; administrators have all. */
  may(permission: string): boolean {
    const { permissions = [] } = this.#identity ?? {};
    return permissions.includes(permission) || permissions.includes('rest.admin');
  }

  /** True if the signed-in identity has grants for assets. */
  get hasGrants(): boolean {
    return (this.#identity?.grants?.length ?? 0) > 0;
  }

  get #identity(): IdentityInfo | undefined {
    const state = this.#state.value;
    if (state.kind === 'SIGNED_IN') return state.identity;
    return state.kind === 'SIGNED_OUT' || state.kind === 'REPLACED' ? state.former : undefined;
  }

  /** Finds the signed-in identity: another tab may have opened a session. */
  async resume(): Promise<void> {
    const before = this.#state.value;
    const identity = await this.#rest.findSession().catch(ignoreFailure);
    // A login happened in the meantime.
    if (this.#state.value !== before) return;
    const former = this.#identity;
    if (identity === undefined) this.#leave();
    else if (former === undefined || former.name === identity.name) this.#enter(identity, undefined);
    else this.#replace(identity);
  }

  /** Continues as the identity that signed in in another tab. */
  async adopt(): Promise<void> {
    const identity = await this.#rest.findSession().catch(ignoreFailure);
    if (identity === undefined) this.#leave();
    else this.#enter(identity, undefined);
  }

  /** Returns the authentication methods and the banner of the operator. */
  methods(): Promise<AnswerOf<typeof readLoginMethods>> {
    return this.#rest.call<typeof readLoginMethods>('GET', `${ROOT}/authenticationInfo`);
  }

  /** @param code one-time code, if the identity has a second factor */
  async signIn(name: string, password: string, code?: string): Promise<void> {
    const body = { username: name, password, ...(code === undefined ? {} : { secondFactorCode: code }) };
    const path = `${ROOT}/login/password` as const;
    const { passwordChangeNeeded, secondFactorEnrolmentNeeded, message } = await this.#login(() =>
      this.#rest.call<typeof logInByPassword>('POST', path, { body }),
    );
    if (passwordChangeNeeded || secondFactorEnrolmentNeeded === true) {
      this.#rest.takeLockedSession(name);
      const kind = passwordChangeNeeded ? 'PASSWORD_CHANGE' : 'ENROLMENT';
      this.#state.value = { kind, name, password };
    } else await this.#show(name, message);
  }

  async signInByCertificate(): Promise<void> {
    const { message } = await this.#login(() =>
      this.#rest.call<typeof logInByCertificate>('POST', `${ROOT}/login/certificate`),
    );
    await this.#show(undefined, message);
  }

  /** Changes a password and signs in with the new one: the change ends all sessions. */
  async changePassword(name: string, currentPassword: string, newPassword: string): Promise<void> {
    await this.#replacePassword(currentPassword, newPassword);
    await this.signIn(name, newPassword);
  }

  /** Changes the password of the signed-in identity, which ends all its sessions. */
  async changeOwnPassword(currentPassword: string, newPassword: string): Promise<void> {
    await this.#replacePassword(currentPassword, newPassword);
    const former = this.#identity;
    this.#rest.leaveSession();
    this.#state.value = { kind: 'SIGNED_OUT', former, isPasswordChanged: true };
    this.#notifyTabs();
  }

  /** Creates the secret of a second factor; its first code enables it. */
  beginSecondFactor(currentPassword: string): Promise<SecondFactorSecret> {
    const path = `${ROOT}/secondFactor/begin` as const;
    return this.#rest.call<typeof beginSecondFactor>('POST', path, { body: { currentPassword } });
  }

  /** Enables the second factor, which ends the session; returns the recovery codes. */
  async confirmSecondFactor(secondFactorCode: string): Promise<readonly string[]> {
    const path = `${ROOT}/secondFactor/confirm` as const;
    const body = { secondFactorCode };
    const { recoveryCodes } = await this.#rest.call<typeof confirmSecondFactor>('POST', path, { body });
    this.#rest.leaveSession();
    this.#notifyTabs();
    return recoveryCodes;
  }

  /** Leaves a required action and returns to the sign-in form. */
  restart(): void {
    this.#rest.leaveSession();
    this.#state.value = { kind: 'SIGNED_OUT', former: undefined };
  }

  async signOut(): Promise<void> {
    const before = this.#state.value;
    // The response clears the storage of the origin; display preferences do not belong to the session.
    const choices = Object.entries(localStorage);
    await this.#rest.call<typeof logOut>('POST', `${ROOT}/logout`).catch(ignoreFailure);
    for (const [name, choice] of choices) localStorage.setItem(name, String(choice));
    // The session belongs to another identity by now, and stays.
    if (this.#state.value.kind === 'REPLACED' && before.kind !== 'REPLACED') return;
    this.restart();
    this.#notifyTabs();
  }

  async #replacePassword(currentPassword: string, newPassword: string): Promise<void> {
    const body = { currentPassword, newPassword };
    await this.#rest.call<typeof changeOwnPassword>('POST', `${ROOT}/changePassword`, { body });
  }

  async #login<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } finally {
      // A failed login also ends the previous session.
      this.#notifyTabs();
    }
  }

  /** @param name required owner of the session; undefined: as reported by the gateway */
  async #show(name: string | undefined, message: string | undefined): Promise<void> {
    const identity = await this.#rest.takeSession(name);
    if (identity !== undefined) this.#enter(identity, message);
  }

  #enter(identity: IdentityInfo, message: string | undefined): void {
    this.#state.value = { kind: 'SIGNED_IN', identity, message };
  }

  #refresh(identity: IdentityInfo): void {
    const state = this.#state.value;
    if (state.kind === 'SIGNED_IN' && state.identity.name === identity.name)
      this.#state.value = { ...state, identity };
  }

  #leave(): void {
    this.#rest.leaveSession();
    const state = this.#state.value;
    if (state.kind === 'SIGNED_OUT') return;
    this.#state.value = { kind: 'SIGNED_OUT', former: this.#identity };
  }

  #replace(current: IdentityInfo): void {
    const former = this.#identity;
    this.#rest.leaveSession();
    this.#state.value = { kind: 'REPLACED', former, current };
  }

  async #lookAgain(): Promise<void> {
    const { kind } = this.#state.value;
    if (kind === 'UNKNOWN') return;
    if (kind === 'SIGNED_OUT' || kind === 'REPLACED') await this.resume();
    else await this.#rest.checkSession().catch(ignoreFailure);
  }
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof RestFailure)) throw error;
}

/**
 * Listens for logins and logouts in other tabs of the browser, which share its cookie. The gateway reports the identity. Tabs
 * of another port share the cookie only: the page checks its session again when it becomes visible.
 *
 * @returns function that notifies the other tabs
 */
function connectTabs(onMessage: () => void): () => void {
  const channel = new BroadcastChannel('penstock.session');
  channel.addEventListener('message', onMessage);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) onMessage();
  });
  return channel.postMessage.bind(channel, 'changed');
}
