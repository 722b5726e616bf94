import type { Identity } from '../identity/identity.ts';
import type { Session } from './session.ts';

/** A new session and whose it is. */
export interface Login {
  readonly session: Session;
  readonly identity: Identity;
}

export interface PasswordLoginRequest {
  readonly username: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** The session whose cookie the request carried; it ends, whatever comes of the login. */
  readonly carriedSessionId?: string | undefined;
}

export interface CertificateLoginRequest {
  /** Subject common names of the verified client certificate; undefined without one. */
  readonly commonNames?: readonly string[] | undefined;
  readonly carriedSessionId?: string | undefined;
}

/** Opens sessions. */
export interface SessionLogin {
  /**
   * A pending password change does not prevent the login; the session is locked then, see `isLocked`.
   *
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` when sessions or the method are switched off
   * @throws {NotAuthenticated} `LOGIN_FAILED`, which says nothing about the cause
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS`
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` or `SESSION_LIMIT_REACHED`
   */
  byPassword(request: PasswordLoginRequest): Promise<Login>;
  /**
   * @throws {NotFound} `LOGIN_METHOD_DISABLED` when sessions or the method are switched off
   * @throws {NotAuthenticated} `LOGIN_FAILED`
   * @throws {Unavailable} `SESSION_LIMIT_REACHED`
   */
  byCertificate(request: CertificateLoginRequest): Login;
}
