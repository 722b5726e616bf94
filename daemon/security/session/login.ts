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
  /** What was given beside the password. */
  readonly secondFactor?: SecondFactorKind | undefined;
}

interface PasswordLoginRequest {
  readonly username: string;
  readonly password: string;
  /** As typed; asked for only when the identity has a second factor. */
  readonly secondFactorCode?: string | undefined;
  readonly origin: SessionOrigin;
  /** The session of the cookie in the request; it ends whether the login succeeds or not. */
  readonly carriedSessionId?: string | undefined;
}

interface CertificateLoginRequest {
  /** Subject common names of the verified client certificate; undefined without one. */
  readonly commonNames?: readonly string[] | undefined;
  readonly origin: SessionOrigin;
  readonly carriedSessionId?: string | undefined;
}

interface SessionLoginOptions {
  readonly sessions: SessionStore;
  readonly identities: IdentityStore;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly rest: () => RestSettings;
  /** The randomness of the machine unless given. */
  readonly random?: RandomSource;
}

/** Opens sessions; settings are read at each call. */
export class SessionLogin {
  readonly #options: SessionLoginOptions;

  constructor(options: SessionLoginOptions) {
    this.#options = options;
  }

  /**
   * Opens a session by password, and by a code when the identity has a second factor. A pending duty does not prevent the
   * login; the session is locked then, see `findDutyIn`.
   *
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` when sessions or the method are switched off
   * @throws {InvalidRequest} `USERNAME_BLANK`: no identity has such a name, so that no password is compared
   * @throws {NotAuthenticated} `LOGIN_FAILED`, which does not reveal the cause
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG` when the password is right
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS`
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` or `SESSION_LIMIT_REACHED`
   */
  async byPassword({
    username,
    password,
    secondFactorCode,
    origin,
    carriedSessionId,
  }: PasswordLoginRequest): Promise<Login> {
    const { authenticator, rest } = this.#options;
    refuseDisabled(rest(), 'password');
    this.#endCarried(carriedSessionId);
    refuseBlank(username);
    const { remoteAddress } = origin;
    const credentials = { name: username, password, remoteAddress };
    const proof = await authenticator.authenticateWithSecondFactor(credentials, secondFactorCode);
    refuseDisabled(rest(), 'password');
    return { ...this.#open(proof?.identity, 'password', origin), secondFactor: proof?.secondFactor };
  }

  /**
   * Opens a session by client certificate.
   *
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` when sessions or the method are switched off
   * @throws {NotAuthenticated} `LOGIN_FAILED`
   * @throws {Unavailable} `SESSION_LIMIT_REACHED`
   */
  byCertificate({ commonNames, origin, carriedSessionId }: CertificateLoginRequest): Login {
    const { identities, rest } = this.#options;
    refuseDisabled(rest(), 'certificate');
    this.#endCarried(carriedSessionId);
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

  #endCarried(sessionId: string | undefined): void {
    const { sessions } = this.#options;
    // Also when the login fails: a client that logs in as another identity must not keep the earlier session (fixation).
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
