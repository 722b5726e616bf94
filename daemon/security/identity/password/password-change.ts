import { InvalidRequest, messageOf, NotAuthenticated } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { PasswordStrength } from '../../../settings/rest-settings.ts';
import { sourceOfIdentity } from './hash-source.ts';
import { findUnchanged } from '../identity-store.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';
import type { PasswordAuthenticator } from './password-authenticator.ts';
import type { PasswordHasher } from './password-hash.ts';
import { refuseWeakPassword } from './password-rules.ts';

/** Request of an identity to change its own password. */
interface PasswordChangeRequest {
  readonly identityName: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly remoteAddress: string;
}

interface PasswordChangeOptions {
  readonly identities: IdentityStore;
  readonly authenticator: PasswordAuthenticator;
  readonly hasher: PasswordHasher;
  readonly strength: () => PasswordStrength;
  /** Ends all sessions of an identity. */
  readonly endSessions: (identityId: string) => void;
  /** Deletes the initial password file if it belongs to this name. */
  readonly removeInitialPassword: (name: string) => Promise<void>;
  readonly logger: Logger;
}

/** Changes a password after verifying the current one; the strength setting is read at each call. */
export class PasswordChange {
  readonly #options: PasswordChangeOptions;

  constructor(options: PasswordChangeOptions) {
    this.#options = options;
  }

  /**
   * Changes the password and ends all sessions of the identity; a failure changes nothing. Checks in this order:
   *
   * @throws {InvalidRequest} `PASSWORD_BLANK` if one of the passwords is empty or only white space
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`; counts as a failed login
   * @throws {InvalidRequest} `PASSWORD_UNCHANGED`, then `PASSWORD_TOO_WEAK` with all violated rules in the detail
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  async change({
    identityName,
    currentPassword,
    newPassword,
    remoteAddress,
  }: PasswordChangeRequest): Promise<void> {
    const { identities, authenticator, hasher, strength, endSessions, removeInitialPassword, logger } =
      this.#options;
    refuseBlank(currentPassword, 'currentPassword');
    refuseBlank(newPassword, 'newPassword');
    const proved = await authenticator.authenticatePassword({
      name: identityName,
      password: currentPassword,
      remoteAddress,
    });
    if (proved === undefined) throw createWrongPassword();
    refuseUnchanged(currentPassword, newPassword);
    await refuseWeakPassword(newPassword, { strength: strength(), identityName });
    const passwordHash = await hasher.hash(newPassword, sourceOfIdentity(proved));
    setPassword(identities, proved, passwordHash);
    endSessions(proved.id);
    try {
      await removeInitialPassword(proved.name);
    } catch (error) {
      // The password in it is no longer valid; the next start deletes the file.
      logger.warn('identity.initialPasswordNotDeleted', { reason: messageOf(error) });
    }
  }
}

function setPassword(identities: IdentityStore, proved: Identity, passwordHash: string): void {
  // Of two concurrent changes only one succeeds: the credentials of the other are no longer valid.
  if (findUnchanged(identities, proved) === undefined) throw createWrongPassword();
  identities.setPassword(proved.name, passwordHash, { changeNeeded: false });
}

/**
 * Rejects an empty password or one that is only white space.
 *
 * @param field name of the member, for the message
 * @throws {InvalidRequest} `PASSWORD_BLANK`
 */
export function refuseBlank(password: string, field: string): void {
  if (password.trim() !== '') return;
  throw new InvalidRequest({ code: 'PASSWORD_BLANK', detail: `${field} is missing or blank` });
}

function refuseUnchanged(currentPassword: string, newPassword: string): void {
  if (newPassword !== currentPassword) return;
  throw new InvalidRequest({
    code: 'PASSWORD_UNCHANGED',
    detail: 'the new password must differ from the current one',
  });
}

/** Creates the error for a wrong current password. */
export function createWrongPassword(): NotAuthenticated {
  return new NotAuthenticated({
    code: 'CURRENT_PASSWORD_WRONG',
    detail: 'the current password is incorrect',
  });
}
