import { InvalidRequest, messageOf, NotPermitted } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { PasswordStrength } from '../settings/rest-settings.ts';
import { refuseLockOut } from './administrator-rules.ts';
import { sourceOfIdentity } from './hash-source.ts';
import { refuseWeakPassword } from './identity-rules.ts';
import type { IdentityChanges, IdentityStore } from './identity-store.ts';
import type { Identity } from './identity.ts';
import type { PasswordHasher } from './password-hash.ts';
import { ADMIN_PERMISSION, isPermitted } from './permission.ts';

/** What somebody wants an identity to be; what is absent stays, or has its default. */
export interface IdentityRequest {
  readonly name: string;
  readonly password?: string | undefined;
  /** Whether the identity can log in by password; false takes its password away. */
  readonly isPasswordEnabled?: boolean | undefined;
  readonly passwordChangeNeeded?: boolean | undefined;
  readonly permissions?: readonly string[] | undefined;
}

/**
 * Lets an identity look after the others. Names and passwords follow the rules that hold everywhere; each change acts on
 * the next request.
 *
 * Only administrators make administrators and change them: whoever looks after identities does not become one that way.
 */
export interface IdentityAdministration {
  /**
   * Makes an identity, without permissions and password unless the request has some.
   *
   * @throws {InvalidRequest} `PASSWORD_MISSING`, `PASSWORD_CONTRADICTORY`, `PASSWORD_TOO_WEAK`, `IDENTITY_NAME_INVALID`
   *   or `PERMISSION_INVALID`
   * @throws {NotPermitted} `ADMINISTRATOR_NEEDED`
   * @throws {Conflict} `IDENTITY_EXISTS`
   */
  create(request: IdentityRequest, caller: Identity): Promise<Identity>;
  /**
   * Changes an identity, all or nothing. New credentials end its sessions.
   *
   * @throws {NotFound} `IDENTITY_NOT_FOUND`
   * @throws {Conflict} `LAST_ADMINISTRATOR` when nobody could administer the gateway afterwards
   * @throws as `create` does
   */
  change(request: IdentityRequest, caller: Identity): Promise<Identity>;
  /**
   * Removes an identity and ends its sessions.
   *
   * @throws as `change` does
   */
  remove(name: string, caller: Identity): Promise<void>;
}

export interface IdentityAdministrationOptions {
  readonly identities: IdentityStore;
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly strength: () => PasswordStrength;
  /** Ends all sessions of an identity. */
  readonly endSessions: (identityId: string) => void;
  /** Deletes the file with the first password, if the name is whose it is. */
  readonly removeInitialPassword: (name: string) => Promise<void>;
  readonly logger: Logger;
}

/** Makes the operations; the strength asked for is read at each call. */
export function createIdentityAdministration(options: IdentityAdministrationOptions): IdentityAdministration {
  const { identities, hasher, strength, endSessions, removeInitialPassword, logger } = options;

  async function hashPassword({ password }: IdentityRequest, caller: Identity): Promise<string | undefined> {
    if (password === undefined) return undefined;
    refuseWeakPassword(password, strength());
    return hasher.hash(password, sourceOfIdentity(caller));
  }

  async function forgetCredentials({ id, name }: Identity): Promise<void> {
    endSessions(id);
    try {
      await removeInitialPassword(name);
    } catch (error) {
      // The password in it opens nothing any more; the next start deletes the file.
      logger.warn('identity.initialPasswordLeft', { reason: messageOf(error) });
    }
  }

  return {
    async create(request, caller) {
      const { name, permissions = [], passwordChangeNeeded = false } = request;
      refuseEscalation(permissions, caller);
      refuseContradiction(request, undefined);
      const passwordHash = await hashPassword(request, caller);
      return identities.create({ name, permissions, passwordHash, passwordChangeNeeded });
    },

    async change(request, caller) {
      const { name, permissions, passwordChangeNeeded, isPasswordEnabled } = request;
      const check = (): Identity => {
        const before = identities.get(name);
        refuseEscalation([...before.permissions, ...(permissions ?? [])], caller);
        refuseContradiction(request, before);
        return before;
      };
      check();
      const newHash = await hashPassword(request, caller);
      // Others may have changed something while the password was hashed.
      const before = check();
      const passwordHash = isPasswordEnabled === false && before.passwordHash !== undefined ? null : newHash;
      const changes: IdentityChanges = { permissions, passwordChangeNeeded, passwordHash };
      refuseLockOut(identities.list(), { ...before, ...toOutcome(before, changes) });
      const changed = identities.change(name, changes);
      if (passwordHash !== undefined) await forgetCredentials(before);
      return changed;
    },

    async remove(name, caller) {
      const identity = identities.get(name);
      refuseEscalation(identity.permissions, caller);
      refuseLockOut(identities.list(), { ...identity, permissions: [] });
      identities.remove(name);
      await forgetCredentials(identity);
    },
  };
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

function refuseEscalation(permissions: readonly string[], caller: Identity): void {
  if (!permissions.includes(ADMIN_PERMISSION) || isPermitted(caller, ADMIN_PERMISSION)) return;
  throw new NotPermitted({
    code: 'ADMINISTRATOR_NEEDED',
    detail: `identities with ${ADMIN_PERMISSION} are for those who have it themselves`,
  });
}

function refuseContradiction(
  { password, isPasswordEnabled }: IdentityRequest,
  before: Identity | undefined,
): void {
  if (password !== undefined && isPasswordEnabled === false) {
    throw new InvalidRequest({
      code: 'PASSWORD_CONTRADICTORY',
      detail: 'a password is given and passwordAuthEnabled is false',
    });
  }
  if (isPasswordEnabled === true && password === undefined && before?.passwordHash === undefined) {
    throw new InvalidRequest({
      code: 'PASSWORD_MISSING',
      detail: 'passwordAuthEnabled needs a password, and the identity has none',
    });
  }
}
