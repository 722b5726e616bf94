import type { Clock } from '../../base/clock.ts';
import { InvalidRequest, NotAuthenticated, NotFound } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import { identityOfCertificate } from '../identity/provider/certificate-provider.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import type { PasswordAuthenticator } from '../identity/password/password-authenticator.ts';
import type { SecondFactorKind } from '../identity/second-factor/second-factor.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { SessionStore } from './session-store.ts';
import { createSession } from './session.ts';
import type { LoginMethod, Session, SessionOrigin } from './session.ts';

/** A new session and its identity. */
export interface Login {
  readonly session: Session;
  readonly identity: Identity;
  /** Second factor given in addition to the password. */
  readonly secondFactor?: SecondFactorKind | undefined;
}

interface PasswordLoginRequest {
  readonly username: string;
  readonly password: string;
  /** Code as typed; only required if the identity has a second factor. */
  readonly secondFactorCode?: string | undefined;
  readonly origin: SessionOrigin;
  /** Session of the request's cookie; it ends even if the login fails. */
  readonly requestSessionId?: string | undefined;
}

interface CertificateLoginRequest {
  /** Subject common names of the verified client certificate; undefined without one. */
  readonly commonNames?: readonly string[] | undefined;
  readonly origin: SessionOrigin;
  readonly requestSessionId?: string | undefined;
}

interface SessionLoginOptions {
  readonly sessions: SessionStore;
  readonly identities: IdentityStore;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly rest: () => RestSettings;
  /** Default: system randomness. */
  readonly random?: RandomSource;
}

/** Opens sessions; settings are read at each call. */
export class SessionLogin {
  readonly #options: SessionLoginOptions;

  constructor(options: SessionLoginOptions) {
    this.#options = options;
  }

  /**
   * Opens a session with a password, and with a code if the identity has a second factor. A required action does not prevent the
   * login, but the session is then locked, see `findRequiredActionIn`.
   *
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` if sessions or the method are disabled
   * @throws {InvalidRequest} `USERNAME_BLANK`: no identity has such a name, so no password is checked
   * @throws {NotAuthenticated} `LOGIN_FAILED`, which does not reveal the cause
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG` if the password is correct
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS`
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` or `SESSION_LIMIT_REACHED`
   */
  async byPassword({
    username,
    password,
    secondFactorCode,
    origin,
    requestSessionId,
  }: PasswordLoginRequest): Promise<Login> {
    const { authenticator, rest } = this.#options;
    refuseDisabled(rest(), 'password');
    this.#endRequestSession(requestSessionId);
    refuseBlank(username);
    const { remoteAddress } = origin;
    const credentials = { name: username, password, remoteAddress };
    const proof = await authenticator.authenticateWithSecondFactor(credentials, secondFactorCode);
    refuseDisabled(rest(), 'password');
    return { ...this.#open(proof?.identity, 'password', origin), secondFactor: proof?.secondFactor };
  }

  /**
   * Opens a session with a client certificate.
   *
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` if sessions or the method are disabled
   * @throws {NotAuthenticated} `LOGIN_FAILED`
   * @throws {Unavailable} `SESSION_LIMIT_REACHED`
   */
  byCertificate({ commonNames, origin, requestSessionId }: CertificateLoginRequest): Login {
    const { identities, rest } = this.#options;
    refuseDisabled(rest(), 'certificate');
    this.#endRequestSession(requestSessionId);
    return this.#open(identityOfCertificate(commonNames, identities), 'certificate', origin);
  }

  #open(identity: Identity | undefined, method: LoginMethod, origin: SessionOrigin): Login {
    const { sessions, clock, random = systemRandom } = this.#options;
    if (identity === undefined) {
      throw new NotAuthenticated({ code: 'LOGIN_FAILED', detail: 'incorrect credentials' });
    }
    const session = createSession({ identity, method, origin, nowMs: clock.monotonicMs() }, random);
    sessions.add(session);
    return { session, identity };
  }

  #endRequestSession(sessionId: string | undefined): void {
    const { sessions } = this.#options;
    // Even if the login fails: a client that logs in as another identity must not keep the earlier session (fixation).
    if (sessionId !== undefined) sessions.remove(sessionId);
  }
}

function refuseBlank(username: string): void {
  if (username.trim() !== '') return;
  throw new InvalidRequest({ code: 'USERNAME_BLANK', detail: 'username is blank' });
}

function refuseDisabled(rest: RestSettings, method: LoginMethod): void {
  const isEnabled =
    method === 'password' ? rest.passwordAuthenticationEnabled : rest.certificateAuthenticationEnabled;
  if (isEnabled && rest.sessionBasedAuthenticationEnabled) return;
  throw new NotFound({ code: 'LOGIN_METHOD_DISABLED', detail: `${method} login is disabled` });
}
