import type { Clock } from '../../base/clock.ts';
import { Conflict, InvalidRequest, NotFound } from '../../base/errors.ts';
import { createReason, explain, placeFault } from '../../base/fault-reason.ts';
import { explainFaults } from '../../base/document-error.ts';
import { IDENTITY_FAULTS } from './fault-sentences.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import { check } from '../../base/schema.ts';
import type { SecretKey } from '../../base/key/secret-key.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { grantsSchema } from './grant.ts';
import type { DefinedPermissions } from './defined-permissions.ts';
import type { Grant } from './grant.ts';
import type { Identity, TokenRevocation } from './identity.ts';
import { freezeIdentity, readIdentities, withFlags, withGrants } from './identity-rows.ts';
import { isIdentityName, isPermissionName } from './identity-rules.ts';
import { findUnchanged } from './identity-store.ts';
import type { CreateOptions, IdentityChanges, IdentityStore, NewIdentity } from './identity-store.ts';
import type { SecondFactor } from './second-factor/second-factor.ts';
import { WRONG_CODE_TABLE } from './second-factor/code-delay.ts';
import { SECOND_FACTOR_TABLE, SqliteSecondFactors } from './second-factor/sqlite-second-factors.ts';

/** Tables of identities, in creation order by `position`, and of names of deleted identities. */
export const identityMigrations: Migrations = {
  module: 'identity',
  steps: [
    `CREATE TABLE identity (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      permissions TEXT NOT NULL,
      password_hash TEXT,
      password_change_needed INTEGER NOT NULL,
      credentials_revision INTEGER NOT NULL,
      created_at_ms INTEGER NOT NULL
    ) STRICT`,
    // Positions count all identities ever created; if some are missing, their names may have been reused.
    `CREATE TABLE used_identity_name (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
     INSERT INTO used_identity_name SELECT name FROM identity
       WHERE (SELECT seq FROM sqlite_sequence WHERE name = 'identity') > (SELECT count(*) FROM identity)`,
    "ALTER TABLE identity ADD COLUMN grants TEXT NOT NULL DEFAULT '[]'",
    // Both are null until the first token revocation of the identity.
    `ALTER TABLE identity ADD COLUMN token_generation TEXT;
     ALTER TABLE identity ADD COLUMN tokens_revoked_at_ms INTEGER`,
    `ALTER TABLE identity ADD COLUMN second_factor_required INTEGER NOT NULL DEFAULT 0; ${SECOND_FACTOR_TABLE}`,
    WRONG_CODE_TABLE,
    // Marks encrypted secrets; an earlier release stored them in clear text.
    'ALTER TABLE second_factor ADD COLUMN is_sealed INTEGER NOT NULL DEFAULT 0',
  ],
};

const UPDATE = `UPDATE identity SET permissions = ?, grants = ?, password_hash = ?, password_change_needed = ?,
  credentials_revision = ?, second_factor_required = ? WHERE name = ? AND id = ? AND created_at_ms = ?`;

interface WriteOptions {
  /** Further changes of the same transaction. */
  readonly alongside?: (() => void) | undefined;
  readonly isSynced?: boolean | undefined;
}

/** Identity store on disk with an in-memory copy for reads; the disk is written first. */
export class SqliteIdentityStore implements IdentityStore {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: RandomSource;
  readonly #byName: Map<string, Identity>;
  readonly #secondFactors: SqliteSecondFactors;
  readonly #definedPermissions: Pick<DefinedPermissions, 'has'>;

  /**
   * Loads the identities from disk.
   *
   * @param key encrypts second-factor secrets; without key they are stored in clear text
   * @param definedPermissions names that identities may have in addition to those of the form `rest.<role>`
   * @throws {StoreError} `STORE_DAMAGED` if a row is invalid
   */
  constructor(
    store: Store,
    clock: Clock,
    random: RandomSource = systemRandom,
    key?: SecretKey,
    definedPermissions: Pick<DefinedPermissions, 'has'> = { has: () => false },
  ) {
    this.#store = store;
    this.#definedPermissions = definedPermissions;
    this.#clock = clock;
    this.#random = random;
    this.#secondFactors = new SqliteSecondFactors(store, key);
    this.#byName = new Map(readIdentities(store).map((identity) => [identity.name, identity]));
  }

  /** Encrypts secrets that an earlier release stored in clear text; see `SqliteSecondFactors`. */
  sealSecrets(): number {
    return this.#secondFactors.sealSecrets();
  }

  find(name: string): Identity | undefined {
    return this.#byName.get(name);
  }

  get(name: string): Identity {
    const identity = this.find(name);
    if (identity !== undefined) return identity;
    throw new NotFound({ code: 'IDENTITY_NOT_FOUND', detail: 'unknown identity' });
  }

  list(): readonly Identity[] {
    return [...this.#byName.values()];
  }

  create(
    { name, permissions, grants = [], ...others }: NewIdentity,
    { isSynced }: CreateOptions = {},
  ): Identity {
    const { passwordHash, passwordChangeNeeded, secondFactorRequired } = others;
    if (!isIdentityName(name)) {
      throw new InvalidRequest({
        code: 'IDENTITY_NAME_INVALID',
        ...explain(createReason(IDENTITY_FAULTS, 'IDENTITY_NAME_UNSUITABLE', {})),
      });
    }
    if (this.#byName.has(name)) {
      throw new Conflict({ code: 'IDENTITY_EXISTS', detail: `identity "${name}" already exists` });
    }
    const identity: Identity = {
      id: this.#random.uuid(),
      name,
      permissions: this.#checkPermissions(permissions),
      ...withGrants(checkGrants(grants)),
      passwordHash,
      passwordChangeNeeded,
      credentialsRevision: 1,
      createdAtMs: this.#clock.epochMs(),
      ...withFlags({ secondFactorRequired }),
      // The clock may have been set back since tokens were issued to the earlier identity.
      ...(this.isNameUsed(name) ? { isNameReused: true, tokenRevocation: this.#makeRevocation() } : {}),
    };
    return this.#write(
      `INSERT INTO identity (permissions, grants, password_hash, password_change_needed, credentials_revision,
         second_factor_required, name, id, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      identity,
      { alongside: () => this.#writeRevocation(identity), isSynced },
    );
  }

  setPassword(
    name: string,
    passwordHash: string | undefined,
    { changeNeeded }: { readonly changeNeeded: boolean },
  ): Identity {
    const identity = this.get(name);
    const credentialsRevision = identity.credentialsRevision + 1;
    return this.#update({
      ...identity,
      passwordHash,
      passwordChangeNeeded: changeNeeded,
      credentialsRevision,
    });
  }

  upgradePasswordHash(identity: Identity, passwordHash: string): void {
    const current = findUnchanged(this, identity);
    if (current !== undefined) this.#update({ ...current, passwordHash });
  }

  setPermissions(name: string, permissions: readonly string[]): Identity {
    return this.#update({ ...this.get(name), permissions: this.#checkPermissions(permissions) });
  }

  takePermission(permission: string, alongside: () => void): void {
    const changed: Identity[] = [];
    for (const identity of this.#byName.values()) {
      const permissions = identity.permissions.filter((each) => each !== permission);
      if (permissions.length < identity.permissions.length) changed.push({ ...identity, permissions });
    }
    this.#store.transaction(() => {
      for (const identity of changed) this.#run(UPDATE, identity);
      alongside();
    });
    for (const identity of changed) this.#remember(identity);
  }

  setPasswordChangeNeeded(name: string, isNeeded: boolean): Identity {
    return this.#update({ ...this.get(name), passwordChangeNeeded: isNeeded });
  }

  change(name: string, changes: IdentityChanges): Identity {
    const { permissions, grants, passwordHash, passwordChangeNeeded } = changes;
    const { grants: grantsBefore, secondFactorRequired, hasSecondFactor, ...before } = this.get(name);
    const isFactorRemoved = changes.isSecondFactorRemoved === true && hasSecondFactor === true;
    const isNewCredentials = passwordHash !== undefined || isFactorRemoved;
    const changed: Identity = {
      ...before,
      permissions: permissions === undefined ? before.permissions : this.#checkPermissions(permissions),
      ...withGrants(grants === undefined ? grantsBefore : checkGrants(grants)),
      passwordHash: passwordHash === undefined ? before.passwordHash : (passwordHash ?? undefined),
      passwordChangeNeeded: passwordChangeNeeded ?? before.passwordChangeNeeded,
      credentialsRevision: before.credentialsRevision + Number(isNewCredentials),
      ...withFlags({
        secondFactorRequired: changes.secondFactorRequired ?? secondFactorRequired,
        hasSecondFactor: isFactorRemoved ? false : hasSecondFactor,
      }),
    };
    return this.#update(changed, () => {
      if (isFactorRemoved) this.#secondFactors.remove(before.id);
    });
  }

  revokeTokens(name: string): Identity {
    const identity = { ...this.get(name), tokenRevocation: this.#makeRevocation() };
    this.#store.transaction(() => this.#writeRevocation(identity));
    return this.#remember(identity);
  }

  #makeRevocation(): TokenRevocation {
    return { generation: this.#random.uuid(), atMs: this.#clock.epochMs() };
  }

  #writeRevocation({ id, tokenRevocation }: Identity): void {
    if (tokenRevocation === undefined) return;
    this.#store.database
      .prepare('UPDATE identity SET token_generation = ?, tokens_revoked_at_ms = ? WHERE id = ?')
      .run(tokenRevocation.generation, tokenRevocation.atMs, id);
  }

  findSecondFactor(name: string): SecondFactor | undefined {
    const identity = this.find(name);
    return identity === undefined ? undefined : this.#secondFactors.find(identity.id);
  }

  setSecondFactor(name: string, factor: SecondFactor | undefined): Identity {
    const { hasSecondFactor: _, ...before } = this.get(name);
    const changed: Identity = {
      ...before,
      credentialsRevision: before.credentialsRevision + 1,
      ...withFlags({ hasSecondFactor: factor !== undefined }),
    };
    return this.#update(changed, () => {
      if (factor === undefined) this.#secondFactors.remove(before.id);
      else this.#secondFactors.put(before.id, factor);
    });
  }

  updateSecondFactor(name: string, factor: SecondFactor): void {
    const { id } = this.get(name);
    this.#store.transaction(() => this.#secondFactors.put(id, factor));
  }

  remove(name: string): void {
    const { id } = this.get(name);
    const { database } = this.#store;
    this.#store.transaction(() => {
      database.prepare('INSERT OR IGNORE INTO used_identity_name VALUES (?)').run(name);
      database.prepare('DELETE FROM identity WHERE id = ?').run(id);
    });
    this.#byName.delete(name);
  }

  isNameUsed(name: string): boolean {
    const sql = 'SELECT 1 FROM used_identity_name WHERE name = ?';
    return this.#store.database.prepare(sql).get(name) !== undefined;
  }

  #update(identity: Identity, alongside?: () => void): Identity {
    return this.#write(UPDATE, identity, { alongside });
  }

  #write(sql: string, identity: Identity, { alongside, isSynced = true }: WriteOptions): Identity {
    const work = (): void => {
      this.#run(sql, identity);
      alongside?.();
    };
    if (isSynced) this.#store.transaction(work);
    else this.#store.quickTransaction(work);
    return this.#remember(identity);
  }

  #run(sql: string, identity: Identity): void {
    this.#store.database.prepare(sql).run(
      // No permission contains a space.
      identity.permissions.join(' '),
      JSON.stringify(identity.grants ?? []),
      identity.passwordHash ?? null,
      Number(identity.passwordChangeNeeded),
      identity.credentialsRevision,
      Number(identity.secondFactorRequired ?? false),
      identity.name,
      identity.id,
      identity.createdAtMs,
    );
  }

  #checkPermissions(permissions: readonly string[]): readonly string[] {
    const isKnown = (name: string): boolean => isPermissionName(name) || this.#definedPermissions.has(name);
    const invalid = permissions.find((permission) => !isKnown(permission));
    if (invalid === undefined) return [...new Set(permissions)];
    const reason = createReason(IDENTITY_FAULTS, 'PERMISSION_UNSUITABLE', {
      permission: JSON.stringify(invalid.slice(0, 100)),
    });
    throw new InvalidRequest({ code: 'PERMISSION_INVALID', ...explain(reason) });
  }

  #remember(identity: Identity): Identity {
    const frozen = freezeIdentity(identity);
    this.#byName.set(frozen.name, frozen);
    return frozen;
  }
}

/** @throws {InvalidRequest} `GRANT_INVALID` with the paths of the errors */
function checkGrants(grants: readonly Grant[]): readonly Grant[] {
  const checked = check(grantsSchema, grants);
  if (checked.faults === undefined) return checked.value;
  const faults = checked.faults.map((fault) => placeFault(['grants'], fault));
  throw new InvalidRequest({ code: 'GRANT_INVALID', ...explainFaults(faults) });
}
