import type { Grant } from './grant.ts';
import type { Identity } from './identity.ts';
import type { SecondFactor } from './second-factor/second-factor.ts';

/** Initial properties of an identity. */
export interface NewIdentity {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; undefined: no password login. */
  readonly passwordHash?: string | undefined;
  readonly passwordChangeNeeded: boolean;
  readonly secondFactorRequired?: boolean | undefined;
}

/** Changes of an identity; absent properties remain unchanged. */
export interface IdentityChanges {
  readonly permissions?: readonly string[] | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; null removes the password. Either sets new credentials. */
  readonly passwordHash?: string | null | undefined;
  readonly passwordChangeNeeded?: boolean | undefined;
  readonly secondFactorRequired?: boolean | undefined;
  /** Removes an existing second factor, which counts as new credentials. */
  readonly isSecondFactorRemoved?: boolean | undefined;
}

/** How an identity is stored. */
export interface CreateOptions {
  /** False: it survives a power failure with the next change that is synced, instead of at once. Default: true. */
  readonly isSynced?: boolean;
}

/**
 * Store of identities. A change is on disk when its call returns; for the exception see {@link CreateOptions}. Returned identities are immutable; callers that need the current
 * state read it again.
 *
 * Except for `find`, methods with a name parameter throw NotFound `IDENTITY_NOT_FOUND` for an unknown name.
 */
export interface IdentityStore {
  /** Finds an identity without I/O, fast enough for each request; names are compared exactly. */
  find(name: string): Identity | undefined;
  get(name: string): Identity;
  /** Lists all identities in order of creation. */
  list(): readonly Identity[];
  /**
   * @throws {Conflict} `IDENTITY_EXISTS`
   * @throws {InvalidRequest} `IDENTITY_NAME_INVALID`, `PERMISSION_INVALID` or `GRANT_INVALID`
   */
  create(identity: NewIdentity, options?: CreateOptions): Identity;
  /**
   * Sets new credentials and increments the revision, which invalidates all sessions.
   *
   * @param passwordHash PHC string; undefined removes the password
   */
  setPassword(
    name: string,
    passwordHash: string | undefined,
    options: { readonly changeNeeded: boolean },
  ): Identity;
  /**
   * Stores the same password hashed with newer parameters; the revision is unchanged. No effect if the credentials have changed
   * since `identity` was read.
   */
  upgradePasswordHash(identity: Identity, passwordHash: string): void;
  /**
   * Replaces the permissions; duplicates are merged, the revision is unchanged.
   *
   * @throws {InvalidRequest} `PERMISSION_INVALID`
   */
  setPermissions(name: string, permissions: readonly string[]): Identity;
  /**
   * Takes a permission from every identity that has it; the revisions are unchanged.
   *
   * @param alongside further changes of the store, in the same transaction
   */
  takePermission(permission: string, alongside: () => void): void;
  /** Sets or clears the required password change; the revision is unchanged: open sessions are locked, not ended. */
  setPasswordChangeNeeded(name: string, isNeeded: boolean): Identity;
  /**
   * Applies several changes atomically; new credentials increment the revision.
   *
   * @throws {InvalidRequest} `PERMISSION_INVALID` or `GRANT_INVALID`
   */
  change(name: string, changes: IdentityChanges): Identity;
  /** Revokes all tokens issued to the identity so far; sessions and credentials are unchanged. */
  revokeTokens(name: string): Identity;
  remove(name: string): void;
  /** Reads the second factor of an identity; undefined: none. */
  findSecondFactor(name: string): SecondFactor | undefined;
  /**
   * Sets new credentials, as `setPassword` does.
   *
   * @param factor undefined removes it
   */
  setSecondFactor(name: string, factor: SecondFactor | undefined): Identity;
  /** Stores a second factor after a use or with new recovery codes; the revision is unchanged. */
  updateSecondFactor(name: string, factor: SecondFactor): void;
  /** Returns true if an identity of this name was ever deleted. */
  isNameUsed(name: string): boolean;
}

/**
 * Finds the current identity if it is still the same one with the same credentials.
 *
 * @param earlier identity as read earlier
 */
export function findUnchanged(
  identities: Pick<IdentityStore, 'find'>,
  earlier: Identity,
): Identity | undefined {
  const current = identities.find(earlier.name);
  const isUnchanged =
    current?.id === earlier.id && current.credentialsRevision === earlier.credentialsRevision;
  return isUnchanged ? current : undefined;
}
