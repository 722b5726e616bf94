import { InvalidRequest, messageOf, PreconditionFailed, Conflict } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { PasswordStrength } from '../../settings/rest-settings.ts';
import type { Grant } from './grant.ts';
import { sourceOfIdentity } from './password/hash-source.ts';
import { getCaller, listRights, permissionsOfGrants, refuseBeyondOwn } from './granting-rules.ts';
import type { IdentityChanges, IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import type { PasswordHasher } from './password/password-hash.ts';
import { refuseWeakPassword } from './password/password-rules.ts';
import { ADMIN_PERMISSION } from './permission.ts';

/** The requested state of an identity; absent properties keep their value or get their default. */
interface IdentityRequest {
  readonly name: string;
  readonly password?: string | undefined;
  /** Whether the identity can log in by password; false removes its password. */
  readonly isPasswordEnabled?: boolean | undefined;
  readonly passwordChangeNeeded?: boolean | undefined;
  /** Whether the password opens nothing before the identity has set up a second factor. */
  readonly secondFactorRequired?: boolean | undefined;
  /** Whether the identity has a second factor; false removes it, and true is only for one that has. */
  readonly isSecondFactorEnabled?: boolean | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** Whether the change is meant for the identity as it is now; absent: however it is. */
  readonly isMeantFor?: ((present: Identity) => boolean) | undefined;
}

interface IdentityAdministrationOptions {
  readonly identities: IdentityStore;
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly strength: () => PasswordStrength;
  /** Ends all sessions of an identity. */
  readonly endSessions: (identityId: string) => void;
  /** Deletes the file with the initial password if it belongs to this name. */
  readonly removeInitialPassword: (name: string) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Creates, changes and removes identities on behalf of a caller. The usual rules for names and passwords apply; each
 * change takes effect with the next request.
 *
 * A caller gives only permissions that it has itself, and changes only identities that have no others, so that it cannot
 * extend its own. A grant counts as the permission of which it is a part. The caller is checked again after each wait. The required
 * strength of passwords is read at each call.
 */
export class IdentityAdministration {
  readonly #options: IdentityAdministrationOptions;

  constructor(options: IdentityAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Creates an identity, without permissions and password unless the request has some.
   *
   * @throws {InvalidRequest} `PASSWORD_MISSING`, `PASSWORD_CONTRADICTORY`, `PASSWORD_TOO_WEAK`,
   *   `SECOND_FACTOR_NOT_SET_UP`, `IDENTITY_NAME_INVALID`, `PERMISSION_INVALID` or `GRANT_INVALID`
   * @throws {NotPermitted} `PERMISSION_BEYOND_OWN`
   * @throws {NotAuthenticated} `NOT_AUTHENTICATED` when the caller was deleted in the meantime
   * @throws {Conflict} `IDENTITY_EXISTS`
   */
  async create(request: IdentityRequest, caller: Principal): Promise<Identity> {
    const { identities } = this.#options;
    const { name, permissions = [], grants, passwordChangeNeeded = false, secondFactorRequired } = request;
    const given = [...permissions, ...permissionsOfGrants(grants)];
    const check = (): void => refuseBeyondOwn(given, getCaller(caller, identities));
    check();
    refuseContradiction(request, undefined);
    const passwordHash = await this.#hashPassword(request, caller.identity);
    check();
    return identities.create({
      name,
      permissions,
      grants,
      passwordHash,
      passwordChangeNeeded,
      secondFactorRequired,
    });
  }

  /**
   * Changes an identity, all or nothing. New credentials end its sessions.
   *
   * @throws {NotFound} `IDENTITY_NOT_FOUND`
   * @throws {PreconditionFailed} `IDENTITY_STALE` when it is meant for another state of the identity
   * @throws {Conflict} `LAST_ADMINISTRATOR` when no administrator would be left
   * @throws as `create` does
   */
  async change(request: IdentityRequest, caller: Principal): Promise<Identity> {
    const { identities, endSessions } = this.#options;
    const { name, permissions, grants, passwordChangeNeeded, secondFactorRequired } = request;
    const given = [...(permissions ?? []), ...permissionsOfGrants(grants)];
    const check = (): Identity => {
      const before = identities.get(name);
      refuseBeyondOwn([...listRights(before), ...given], getCaller(caller, identities));
      if (request.isMeantFor?.(before) === false) {
        const detail = 'the identity has changed since it was read';
        throw new PreconditionFailed({ code: 'IDENTITY_STALE', detail });
      }
      refuseContradiction(request, before);
      return before;
    };
    check();
    const newHash = await this.#hashPassword(request, caller.identity);
    // While the password was hashed, identities may have changed, the caller's included.
    const before = check();
    const isPasswordRemoved = request.isPasswordEnabled === false && before.passwordHash !== undefined;
    const passwordHash = isPasswordRemoved ? null : newHash;
    const isSecondFactorRemoved = request.isSecondFactorEnabled === false;
    const changes: IdentityChanges = {
      permissions,
      grants,
      passwordChangeNeeded,
      passwordHash,
      secondFactorRequired,
      isSecondFactorRemoved,
    };
    refuseLockOut(identities.list(), { ...before, ...toOutcome(before, changes) });
    const changed = identities.change(name, changes);
    if (passwordHash !== undefined) await this.#forgetCredentials(before);
    else if (changed.credentialsRevision !== before.credentialsRevision) endSessions(before.id);
    return changed;
  }

  /**
   * Removes an identity and ends its sessions.
   *
   * @throws as `change` does
   */
  async remove(name: string, caller: Principal): Promise<void> {
    const { identities } = this.#options;
    const identity = identities.get(name);
    refuseBeyondOwn(listRights(identity), getCaller(caller, identities));
    refuseLockOut(identities.list(), { ...identity, permissions: [] });
    identities.remove(name);
    await this.#forgetCredentials(identity);
  }

  /**
   * Checks whether `remove` would take all of these, one after the other; changes nothing.
   *
   * @throws as `remove` does
   */
  checkRemoval(names: readonly string[], caller: Principal): void {
    const { identities } = this.#options;
    let left = identities.list();
    for (const name of names) {
      const identity = identities.get(name);
      refuseBeyondOwn(listRights(identity), getCaller(caller, identities));
      refuseLockOut(left, { ...identity, permissions: [] });
      left = left.filter(({ id }) => id !== identity.id);
    }
  }

  async #hashPassword(request: IdentityRequest, caller: Identity): Promise<string | undefined> {
    const { hasher, strength } = this.#options;
    const { name, password } = request;
    if (password === undefined) return undefined;
    await refuseWeakPassword(password, { strength: strength(), identityName: name });
    return hasher.hash(password, sourceOfIdentity(caller));
  }

  async #forgetCredentials({ id, name }: Identity): Promise<void> {
    const { endSessions, removeInitialPassword, logger } = this.#options;
    endSessions(id);
    try {
      await removeInitialPassword(name);
    } catch (error) {
      // The password in it is no longer valid; the next start deletes the file.
      logger.warn('identity.initialPasswordNotDeleted', { reason: messageOf(error) });
    }
  }
}

function toOutcome(
  before: Identity,
  { permissions, passwordHash }: IdentityChanges,
): Pick<Identity, 'permissions' | 'passwordHash'> {
  return {
    permissions: permissions ?? before.permissions,
    passwordHash: passwordHash === undefined ? before.passwordHash : (passwordHash ?? undefined),
  };
}

function refuseContradiction(
  { password, isPasswordEnabled, isSecondFactorEnabled }: IdentityRequest,
  before: Identity | undefined,
): void {
  if (password !== undefined && isPasswordEnabled === false) {
    throw new InvalidRequest({
      code: 'PASSWORD_CONTRADICTORY',
      detail: 'a password is not allowed if passwordAuthEnabled is false',
    });
  }
  if (isPasswordEnabled === true && password === undefined && before?.passwordHash === undefined) {
    throw new InvalidRequest({
      code: 'PASSWORD_MISSING',
      detail: 'passwordAuthEnabled requires a password; the identity has none',
    });
  }
  if (isSecondFactorEnabled === true && before?.hasSecondFactor !== true) {
    throw new InvalidRequest({
      code: 'SECOND_FACTOR_NOT_SET_UP',
      detail: 'secondFactorEnabled cannot be set: only the identity itself can set up a second factor',
    });
  }
}

/**
 * Refuses a change that would lock all administrators out: none would be left, or none with a password where there was
 * one. Certificates do not count, because the gateway cannot tell which ones are still in use.
 *
 * @param identities as they are
 * @param changed one of them as it would be
 * @throws {Conflict} `LAST_ADMINISTRATOR`
 */
function refuseLockOut(identities: readonly Identity[], changed: Identity): void {
  const after = identities.map((identity) => (identity.id === changed.id ? changed : identity));
  const losesAll = identities.some(isAdministrator) && !after.some(isAdministrator);
  const losesPassword = identities.some(hasPassword) && !after.some(hasPassword);
  if (!losesAll && !losesPassword) return;
  throw new Conflict({
    code: 'LAST_ADMINISTRATOR',
    detail: `${changed.name} is the last identity with ${ADMIN_PERMISSION}${losesAll ? '' : ' and a password'}`,
  });
}

function isAdministrator({ permissions }: Identity): boolean {
  return permissions.includes(ADMIN_PERMISSION);
}

function hasPassword(identity: Identity): boolean {
  return isAdministrator(identity) && identity.passwordHash !== undefined;
}
