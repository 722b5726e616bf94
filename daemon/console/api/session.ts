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

/** Who uses the page. */
export type SessionState =
  /** The gateway was not asked yet. */
  | { readonly kind: 'UNKNOWN' }
  /** The former identity was signed in on this page before: what it did there stays below. */
  | {
      readonly kind: 'SIGNED_OUT';
      readonly former: IdentityInfo | undefined;
      /** The former identity has just changed its password, which ended the session. */
      readonly isPasswordChanged?: boolean;
    }
  /** Another tab signed in as somebody else: what the former identity did on this page is hidden, and nothing is sent. */
  | { readonly kind: 'REPLACED'; readonly former: IdentityInfo | undefined; readonly current: IdentityInfo }
  /** The password has to be changed before anything else. */
  | { readonly kind: 'PASSWORD_CHANGE'; readonly name: string; readonly password: string }
  /** A second factor has to be set up before anything else. */
  | { readonly kind: 'ENROLMENT'; readonly name: string; readonly password: string }
  | { readonly kind: 'SIGNED_IN'; readonly identity: IdentityInfo; readonly message: string | undefined };

/** The session of the page: signing in, changing a password, signing out. */
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

  /** The name of who is signed in, or was until the session ended. */
  get name(): string | undefined {
    return this.#identity?.name;
  }

  /** Whether whoever is signed in has a permission; an administrator has every one. */
  may(permission: string): boolean {
    const { permissions = [] } = this.#identity ?? {};
    return permissions.includes(permission) || permissions.includes('rest.admin');
  }

  /** Whether grants let whoever is signed in see some assets. */
  get hasGrants(): boolean {
    return (this.#identity?.grants?.length ?? 0) > 0;
  }

  get #identity(): IdentityInfo | undefined {
    const state = this.#state.value;
    if (state.kind === 'SIGNED_IN') return state.identity;
    return state.kind === 'SIGNED_OUT' || state.kind === 'REPLACED' ? state.former : undefined;
  }

  /** Finds out who is signed in: a session may be there from another tab. */
  async resume(): Promise<void> {
    const before = this.#state.value;
    const identity = await this.#rest.findSession().catch(ignoreFailure);
    // Somebody signed in meanwhile.
    if (this.#state.value !== before) return;
    const former = this.#identity;
    if (identity === undefined) this.#leave();
    else if (former === undefined || former.name === identity.name) this.#enter(identity, undefined);
    else this.#replace(identity);
  }

  /** Goes on as whoever is signed in in another tab. */
  async adopt(): Promise<void> {
    const identity = await this.#rest.findSession().catch(ignoreFailure);
    if (identity === undefined) this.#leave();
    else this.#enter(identity, undefined);
  }

  /** Returns how one may sign in, with the words that the operator set for it. */
  methods(): Promise<AnswerOf<typeof readLoginMethods>> {
    return this.#rest.call<typeof readLoginMethods>('GET', `${ROOT}/authenticationInfo`);
  }

  /** @param code one-time code of the second factor, where the identity has one */
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

  /** Replaces a password, and signs in with the new one: the change ends every session. */
  async changePassword(name: string, currentPassword: string, newPassword: string): Promise<void> {
    await this.#replacePassword(currentPassword, newPassword);
    await this.signIn(name, newPassword);
  }

  /** Replaces the password of whoever is signed in, which ends every session of that identity. */
  async changeOwnPassword(currentPassword: string, newPassword: string): Promise<void> {
    await this.#replacePassword(currentPassword, newPassword);
    const former = this.#identity;
    this.#rest.leaveSession();
    this.#state.value = { kind: 'SIGNED_OUT', former, isPasswordChanged: true };
    this.#notifyTabs();
  }

  /** Makes a secret for a second factor; the first code of it puts it in force. */
  beginSecondFactor(currentPassword: string): Promise<SecondFactorSecret> {
    const path = `${ROOT}/secondFactor/begin` as const;
    return this.#rest.call<typeof beginSecondFactor>('POST', path, { body: { currentPassword } });
  }

  /** Puts the second factor in force, which ends the session; returns the codes that stand in for lost ones. */
  async confirmSecondFactor(secondFactorCode: string): Promise<readonly string[]> {
    const path = `${ROOT}/secondFactor/confirm` as const;
    const body = { secondFactorCode };
    const { recoveryCodes } = await this.#rest.call<typeof confirmSecondFactor>('POST', path, { body });
    this.#rest.leaveSession();
    this.#notifyTabs();
    return recoveryCodes;
  }

  /** Leaves what had to be done first, to sign in again. */
  restart(): void {
    this.#rest.leaveSession();
    this.#state.value = { kind: 'SIGNED_OUT', former: undefined };
  }

  async signOut(): Promise<void> {
    const before = this.#state.value;
    // The answer has the browser forget everything of the gateway; how somebody likes to see it is nothing of the session.
    const choices = Object.entries(localStorage);
    await this.#rest.call<typeof logOut>('POST', `${ROOT}/logout`).catch(ignoreFailure);
    for (const [name, choice] of choices) localStorage.setItem(name, String(choice));
    // The session is that of somebody else by now, and stays.
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
      // A login that fails ends the session before it as well.
      this.#notifyTabs();
    }
  }

  /** @param name whose session it has to be; undefined: of whoever the gateway says */
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
 * Hears from the other tabs of the browser, which share its cookie, that somebody signed in or out; who is signed in now, the
 * gateway knows. Tabs of another port share the cookie and nothing else: the page asks again when a person comes back to it.
 *
 * @returns tells them
 */
function connectTabs(onMessage: () => void): () => void {
  const channel = new BroadcastChannel('penstock.session');
  channel.addEventListener('message', onMessage);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) onMessage();
  });
  return channel.postMessage.bind(channel, 'changed');
}
