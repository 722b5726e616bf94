import path from 'node:path';

import { lastWriteMigrations } from '../plant/asset/write/last-writes.ts';
import { loadAuditKey } from '../security/audit/audit-key.ts';
import { AuditLog } from '../security/audit/audit-log.ts';
import { createChainHead } from '../security/audit/chain-head.ts';
import { auditMigrations, createSqliteAuditStore } from '../security/audit/sqlite-audit-store.ts';
import { clearTextMigrations } from '../base/text/clear-text.ts';
import { ensurePrivateDirectory } from '../base/file/directory.ts';
import type { Logger } from '../base/logger.ts';
import { loadSecretKey } from '../base/key/secret-key.ts';
import { openStore } from '../base/store/store.ts';
import { configurationMigrations } from '../configuration/store/snapshot-store.ts';
import { deploymentMigrations } from '../software/deployment/operation/operation-store.ts';
import { idempotencyMigrations, IdempotencyStore } from '../security/idempotency/idempotency-store.ts';
import { createPasswordHasher } from '../security/identity/password/password-hash.ts';
import { SqliteIdentityStore, identityMigrations } from '../security/identity/sqlite-identity-store.ts';
import { DefinedPermissions, definedPermissionMigrations } from '../security/identity/defined-permissions.ts';
import { personalSettingsMigrations } from '../security/identity/personal-settings.ts';
import { tokenMigrations } from '../security/token/sqlite-used-token-store.ts';
import type { HostServices } from './host-services.ts';

interface StateOptions {
  readonly dataDirectory: string;
  /** Maximum number of stored audit events. */
  readonly maximumEvents: number;
  readonly logger: Logger;
  readonly hostServices: HostServices;
}

const MIGRATIONS = [
  identityMigrations,
  personalSettingsMigrations,
  definedPermissionMigrations,
  configurationMigrations,
  auditMigrations,
  tokenMigrations,
  deploymentMigrations,
  lastWriteMigrations,
  idempotencyMigrations,
  clearTextMigrations,
];

/**
 * Opens the state on disk: the store, with its audit log and identities.
 *
 * @throws {DirectoryError} when the data directory does not exist and cannot be created
 * @throws {StoreError} when the state on disk cannot be used
 */
export async function openState({ dataDirectory, maximumEvents, logger, hostServices }: StateOptions) {
  const { clock, random, passwordCost: cost, startHashThread: startThread } = hostServices;
  await ensurePrivateDirectory(dataDirectory);
  const store = openStore(path.join(dataDirectory, 'penstock.db'), MIGRATIONS);
  const keys = Promise.all([
    loadAuditKey(path.join(dataDirectory, 'audit-key.pem')),
    loadSecretKey(dataDirectory, logger),
  ]);
  const [auditKey, secretKey] = await keys.catch((error: unknown) => {
    store.close();
    throw error;
  });
  const audit = new AuditLog({
    store: createSqliteAuditStore({
      store,
      key: auditKey,
      head: createChainHead(path.join(dataDirectory, 'audit-head'), auditKey),
      maximumEvents,
    }),
    clock,
    logger,
  });
  const definedPermissions = new DefinedPermissions(store);
  const identities = new SqliteIdentityStore(store, clock, random, secretKey, definedPermissions);
  const hasher = createPasswordHasher({ clock, random, cost, startThread });
  const requestKeys = new IdempotencyStore({ store, clock });
  return {
    store,
    audit,
    auditPublicKey: auditKey.publicKey,
    secretKey,
    identities,
    definedPermissions,
    hasher,
    requestKeys,
  };
}
