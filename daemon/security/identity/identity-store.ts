import type { Grant } from './grant.ts';
import type { Identity } from './identity.ts';
import type { SecondFactor } from './second-factor/second-factor.ts';

/** The initial properties of an identity. */
export interface NewIdentity {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; undefined when the identity cannot log in by password. */
  readonly passwordHash?: string | undefined;
  readonly passwordChangeNeeded: boolean;
  readonly secondFactorRequired?: boolean | undefined;
}

/** Changes of an identity; absent properties stay. */
export interface IdentityChanges {
  readonly permissions?: readonly string[] | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** PHC string; null removes the password. Either sets new credentials. */
  readonly passwordHash?: string | null | undefined;
  readonly passwordChangeNeeded?: boolean | undefined;
  readonly secondFactorRequired?: boolean | undefined;
  /** Removes the second factor, if there is one, which sets new credentials. */
  readonly isSecondFactorRemoved?: boolean | undefined;
}

/**
 * Keeps the identities. A change is on disk when its call returns; returned identities are frozen and never change, so
 * callers that need the present state ask again.
 *
 * Every method that takes a name, except `find`, throws NotFound `IDENTITY_NOT_FOUND` when there is no such identity.
 */
export interface IdentityStore {
  /** Finds an identity without I/O, so that each request can ask; names are compared exactly. */
  find(name: string): Identity | undefined;
  get(name: string): Identity;
  /** Lists all identities in order of creation. */
  list(): readonly Identity[];
  /**
   * @throws {Conflict} `IDENTITY_EXISTS`
   * @throws {InvalidRequest} `IDENTITY_NAME_INVALID`, `PERMISSION_INVALID` or `GRANT_INVALID`
   */
  create(identity: NewIdentity): Identity;
  /**
   * Sets new credentials and so raises the revision, which voids all sessions.
   *
   * @param passwordHash PHC string; undefined removes the password
   */
  setPassword(
    name: string,
    passwordHash: string | undefined,
    options: { readonly changeNeeded: boolean },
  ): Identity;
  /**
   * Stores the same password hashed with newer parameters; the revision stays. Does nothing when the credentials have changed since `identity` was read.
   */
  upgradePasswordHash(identity: Identity, passwordHash: string): void;
  /**
   * Replaces the permissions; repeated names collapse, the revision stays.
   *
   * @throws {InvalidRequest} `PERMISSION_INVALID`
   */
  setPermissions(name: string, permissions: readonly string[]): Identity;
  /** Sets whether the password has to be changed; the revision stays: open sessions are locked, not ended. */
  setPasswordChangeNeeded(name: string, isNeeded: boolean): Identity;
  /**
   * Makes several changes at once, all or none; new credentials raise the revision.
   *
   * @throws {InvalidRequest} `PERMISSION_INVALID` or `GRANT_INVALID`
   */
  change(name: string, changes: IdentityChanges): Identity;
  /** Voids every token that was issued to the identity until now; sessions and credentials stay. */
  revokeTokens(name: string): Identity;
  remove(name: string): void;
  /** Reads the second factor of an identity; undefined: it has none. */
  findSecondFactor(name: string): SecondFactor | undefined;
  /**
   * Sets new credentials, as `setPassword` does.
   *
   * @param factor undefined removes it
   */
  setSecondFactor(name: string, factor: SecondFactor | undefined): Identity;
  /** Replaces a second factor by what a use has left of it, or by one with other recovery codes; the revision stays. */
  updateSecondFactor(name: string, factor: SecondFactor): void;
  /** Returns whether an identity of this name was ever deleted. */
  isNameUsed(name: string): boolean;
}

/**
 * Finds the present identity, provided that it is still the same one with the same credentials.
 *
 * @param earlier the identity as it was read, possibly some time ago
 */
export function findUnchanged(
  identities: Pick<IdentityStore, 'find'>,
  earlier: Identity,
): Identity | undefined {
  const present = identities.find(earlier.name);
  const isUnchanged =
    present?.id === earlier.id && present.credentialsRevision === earlier.credentialsRevision;
  return isUnchanged ? present : undefined;
}
