import { InvalidRequest, messageOf, PreconditionFailed, Conflict } from '../../base/errors.ts';
import { createReason, explain } from '../../base/fault-reason.ts';
import { IDENTITY_FAULTS } from './fault-sentences.ts';
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

/** Requested state of an identity; absent properties keep their value or have their default. */
interface IdentityRequest {
  readonly name: string;
  readonly password?: string | undefined;
  /** True if the identity can log in with a password; false removes its password. */
  readonly isPasswordEnabled?: boolean | undefined;
  readonly passwordChangeNeeded?: boolean | undefined;
  /** True if the password grants no access until a second factor is set up. */
  readonly secondFactorRequired?: boolean | undefined;
  /** False removes the second factor; true is only accepted if the identity already has one. */
  readonly isSecondFactorEnabled?: boolean | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** Precondition of the change on the current identity; absent: none. */
  readonly matches?: ((current: Identity) => boolean) | undefined;
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
 * Creates, changes and removes identities on behalf of a caller. The rules for names and passwords apply; each change takes
 * effect with the next request.
 *
 * A caller can only grant permissions that it has, and only change identities whose permissions it has, so that it cannot extend
 * its own rights. A grant counts as the permission that it is part of. The caller is checked again after each wait. The password
 * strength setting is read at each call.
 */
export class IdentityAdministration {
  readonly #options: IdentityAdministrationOptions;

  constructor(options: IdentityAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Creates an identity; without permissions and password by default.
   *
   * @throws {InvalidRequest} `PASSWORD_MISSING`, `PASSWORD_CONTRADICTORY`, `PASSWORD_TOO_WEAK`,
   *   `SECOND_FACTOR_NOT_SET_UP`, `IDENTITY_NAME_INVALID`, `PERMISSION_INVALID` or `GRANT_INVALID`
   * @throws {NotPermitted} `PERMISSION_BEYOND_OWN`
   * @throws {NotAuthenticated} `NOT_AUTHENTICATED` if the caller was deleted during the call
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
   * @throws {PreconditionFailed} `IDENTITY_STALE` if the precondition does not match
   * @throws {Conflict} `LAST_ADMINISTRATOR` if no administrator would be left
   * @throws as `create` does
   */
  async change(request: IdentityRequest, caller: Principal): Promise<Identity> {
    const { identities, endSessions } = this.#options;
    const { name, permissions, grants, passwordChangeNeeded, secondFactorRequired } = request;
    const given = [...(permissions ?? []), ...permissionsOfGrants(grants)];
    const check = (): Identity => {
      const before = identities.get(name);
      refuseBeyondOwn([...listRights(before), ...given], getCaller(caller, identities));
      if (request.matches?.(before) === false) {
        const detail = 'the identity has changed since it was read';
        throw new PreconditionFailed({ code: 'IDENTITY_STALE', detail });
      }
      refuseContradiction(request, before);
      return before;
    };
    check();
    const newHash = await this.#hashPassword(request, caller.identity);
    // Identities, including the caller's, may have changed while the password was hashed.
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
   * Checks a request as `change` does for the identity of this name, or as `create` does if there is none; changes nothing.
   *
   * @throws {InvalidRequest} `PASSWORD_MISSING`, `PASSWORD_CONTRADICTORY` or `PASSWORD_TOO_WEAK`
   */
  async validate(request: IdentityRequest): Promise<void> {
    const { identities, strength } = this.#options;
    const { name, password } = request;
    refuseContradiction(request, identities.find(name));
    if (password !== undefined)
      await refuseWeakPassword(password, { strength: strength(), identityName: name });
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
   * Dry run of removing these identities one after the other.
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
      ...explain(createReason(IDENTITY_FAULTS, 'PASSWORD_NOT_ALLOWED', {})),
    });
  }
  if (isPasswordEnabled === true && password === undefined && before?.passwordHash === undefined) {
    throw new InvalidRequest({
      code: 'PASSWORD_MISSING',
      ...explain(createReason(IDENTITY_FAULTS, 'PASSWORD_NEEDED', {})),
    });
  }
  if (isSecondFactorEnabled === true && before?.hasSecondFactor !== true) {
    throw new InvalidRequest({
      code: 'SECOND_FACTOR_NOT_SET_UP',
      ...explain(createReason(IDENTITY_FAULTS, 'SECOND_FACTOR_NOT_SET', {})),
    });
  }
}

/**
 * Prevents a change that would lock out all administrators: no administrator would be left, or none with a password where there
 * was one. Certificates do not count, because the gateway cannot determine which ones are still in use.
 *
 * @param identities current identities
 * @param changed one of them after the change
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
