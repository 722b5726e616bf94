import type { Identity } from './identity.ts';

/** A name and a password as they were received, and where from. */
export interface PasswordCredentials {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Proves identities by password; what every use of a password goes through. */
export interface PasswordAuthenticator {
  /**
   * Says whose password it is. An identity whose password has to be changed is returned all the same; the caller
   * decides what it may do.
   *
   * @returns undefined for a wrong password, an unknown name and an identity without password, which all cost the same
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for this name from this address
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` when too many passwords wait to be checked
   */
  authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined>;
}
