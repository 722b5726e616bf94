import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { RestFailure } from './rest-failure.ts';
import type { Rest } from './rest.ts';
import type {
  AuthenticationInfo,
  AuthenticationResponse,
  IdentityInfo,
  RecoveryCodes,
  SecondFactorSecret,
} from './types.ts';

const ROOT = '/services/session/v1';

/** Who uses the page. */
export type SessionState =
  /** The gateway was not asked yet. */
  | { readonly kind: 'UNKNOWN' }
  /** The former identity was signed in on this page before: what it did there stays below. */
  | { readonly kind: 'SIGNED_OUT'; readonly former: IdentityInfo | undefined }
  /** The password has to be changed before anything else. */
  | { readonly kind: 'PASSWORD_CHANGE'; readonly name: string; readonly password: string }
  /** A second factor has to be set up before anything else. */
  | { readonly kind: 'ENROLMENT'; readonly name: string; readonly password: string }
  | { readonly kind: 'SIGNED_IN'; readonly identity: IdentityInfo; readonly message: string | undefined };

/** The session of the page: signing in, changing a password, signing out. */
export class PageSession {
  readonly #rest: Rest;
  readonly #state = signal<SessionState>({ kind: 'UNKNOWN' });

  constructor(rest: Rest) {
    this.#rest = rest;
    rest.onSignedOut = () => this.#leave();
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
    return state.kind === 'SIGNED_OUT' ? state.former : undefined;
  }

  /** Finds out who is signed in: a session may be there from another tab. */
  async resume(): Promise<void> {
    try {
      if (await this.#rest.findSession()) return await this.#show(undefined);
    } catch (error) {
      if (!(error instanceof RestFailure)) throw error;
    }
    this.#leave();
    return undefined;
  }

  /** Returns how one may sign in, with the words that the operator set for it. */
  methods(): Promise<AuthenticationInfo> {
    return this.#rest.get<AuthenticationInfo>(`${ROOT}/authenticationInfo`);
  }

  /** @param code one-time code of the second factor, where the identity has one */
  async signIn(name: string, password: string, code?: string): Promise<void> {
    const body = { username: name, password, ...(code === undefined ? {} : { secondFactorCode: code }) };
    const answer = await this.#login('password', body);
    if (answer.passwordChangeNeeded) this.#state.value = { kind: 'PASSWORD_CHANGE', name, password };
    else if (answer.secondFactorEnrolmentNeeded) this.#state.value = { kind: 'ENROLMENT', name, password };
    else await this.#show(answer.message);
  }

  async signInByCertificate(): Promise<void> {
    const answer = await this.#login('certificate', undefined);
    await this.#show(answer.message);
  }

  /** Replaces a password, and signs in with the new one: the change ends every session. */
  async changePassword(name: string, currentPassword: string, newPassword: string): Promise<void> {
    await this.#rest.ask('POST', `${ROOT}/changePassword`, { body: { currentPassword, newPassword } });
    await this.signIn(name, newPassword);
  }

  /** Makes a secret for a second factor; the first code of it puts it in force. */
  async beginSecondFactor(currentPassword: string): Promise<SecondFactorSecret> {
    const path = `${ROOT}/secondFactor/begin`;
    return (await this.#rest.ask<SecondFactorSecret>('POST', path, { body: { currentPassword } })).value;
  }

  /** Puts the second factor in force, which ends the session; returns the codes that stand in for lost ones. */
  async confirmSecondFactor(secondFactorCode: string): Promise<readonly string[]> {
    const path = `${ROOT}/secondFactor/confirm`;
    const { value } = await this.#rest.ask<RecoveryCodes>('POST', path, { body: { secondFactorCode } });
    this.#rest.forgetSession();
    return value.recoveryCodes;
  }

  /** Leaves what had to be done first, to sign in again. */
  startAnew(): void {
    this.#rest.forgetSession();
    this.#state.value = { kind: 'SIGNED_OUT', former: undefined };
  }

  async signOut(): Promise<void> {
    await this.#rest.ask('POST', `${ROOT}/logout`).catch(() => undefined);
    this.startAnew();
  }

  async #login(method: string, body: unknown): Promise<AuthenticationResponse> {
    const { value } = await this.#rest.ask<AuthenticationResponse>('POST', `${ROOT}/login/${method}`, {
      body,
    });
    this.#rest.forgetSession(true);
    return value;
  }

  async #show(message: string | undefined): Promise<void> {
    const identity = await this.#rest.get<IdentityInfo>(`${ROOT}/currentIdentity`);
    this.#state.value = { kind: 'SIGNED_IN', identity, message };
  }

  #leave(): void {
    this.#rest.forgetSession();
    const state = this.#state.value;
    if (state.kind === 'SIGNED_OUT') return;
    this.#state.value = { kind: 'SIGNED_OUT', former: this.#identity };
  }
}
