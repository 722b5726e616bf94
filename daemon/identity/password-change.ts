/** Request of an identity to replace its own password. */
export interface PasswordChangeRequest {
  readonly identityName: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly remoteAddress: string;
}

/** Replaces the password of whoever knows the current one. */
export interface PasswordChange {
  /**
   * Resolves when the new password is on disk and all sessions of the identity have ended; a failure changes nothing.
   * Checks in this order:
   *
   * @throws {InvalidRequest} `PASSWORD_BLANK` when one of the passwords is empty or white space only
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`; counts as a failed login
   * @throws {InvalidRequest} `PASSWORD_UNCHANGED`, then `PASSWORD_TOO_WEAK` with every fault in the detail
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  change(request: PasswordChangeRequest): Promise<void>;
}
