import { check, z } from '../../../base/schema.ts';
import { StoreError } from '../../../base/store/store.ts';
import type { Migrations, Store } from '../../../base/store/store.ts';
import { OPERATION_PHASES, OPERATION_STATES } from '../../../interface/software/package-operation.ts';
import { isPending } from './operation.ts';
import type { AcceptedRequest, Operation, Requester } from './operation.ts';

/** Maximum number of ended operations that are kept. */
export const MAXIMUM_KEPT_OPERATIONS = 100;

/** Equals the maximum of stored idempotency keys: every key that may be repeated finds its operation. */
const MAXIMUM_KEPT_KEYS = 100_000;

/** Table of the operations; `position` keeps the order of the requests. */
export const deploymentMigrations: Migrations = {
  module: 'deployment',
  steps: [
    `CREATE TABLE deployment_operation (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      content TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE deployment_key (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      identity_id TEXT NOT NULL,
      key TEXT NOT NULL,
      operation_id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL
    ) STRICT;
    CREATE INDEX deployment_key_owner ON deployment_key (identity_id, key);
    INSERT INTO deployment_key (identity_id, key, operation_id, kind)
      SELECT content ->> '$.requester.identityId', content ->> '$.requester.idempotencyKey', id, content ->> 'operation'
      FROM deployment_operation WHERE content ->> '$.requester.idempotencyKey' IS NOT NULL
        AND content ->> '$.requester.identityId' IS NOT NULL
      ORDER BY position`,
  ],
};

const operationSchema: z.ZodType<Operation> = z.object({
  id: z.string(),
  operation: z.enum(['INSTALL', 'UNINSTALL']),
  url: z.string().exactOptional(),
  sentSha256: z.string().exactOptional(),
  name: z.string().exactOptional(),
  version: z.string().exactOptional(),
  grants: z
    .array(
      z.object({
        bundle: z.string(),
        permissions: z.array(z.string()),
        identities: z.string().exactOptional(),
        memoryMib: z.int().exactOptional(),
      }),
    )
    .exactOptional(),
  state: z.enum(OPERATION_STATES),
  phase: z.enum(OPERATION_PHASES),
  percent: z.number(),
  errorCode: z.number().exactOptional(),
  message: z.string().exactOptional(),
  leftover: z.string().exactOptional(),
  startedAtMs: z.number().exactOptional(),
  finishedAtMs: z.number().exactOptional(),
  requester: z.object({
    identity: z.string().exactOptional(),
    method: z.string().exactOptional(),
    address: z.string().exactOptional(),
    requestId: z.string().exactOptional(),
    idempotencyKey: z.string().exactOptional(),
    identityId: z.string().exactOptional(),
  }),
});

/** Stores operations over restarts, in the order of the requests. */
export class OperationStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Reads every stored operation, the oldest first.
   *
   * @throws {StoreError} `STORE_DAMAGED` when one cannot be read
   */
  list(): readonly Operation[] {
    const rows = this.#store.database
      .prepare('SELECT content FROM deployment_operation ORDER BY position')
      .all();
    return rows.map(({ content }) => {
      const checked = check(operationSchema, JSON.parse(String(content)));
      if (checked.value !== undefined) return checked.value;
      throw new StoreError({ code: 'STORE_DAMAGED', detail: 'an operation on packages cannot be read' });
    });
  }

  /** Writes a new or changed operation and deletes the oldest finished ones; it is synced when this returns. */
  save(operation: Operation): void {
    this.#store.transaction(() => this.#write(operation));
  }

  /** Writes as `save` does, without a sync: a power loss may undo it. */
  saveQuickly(operation: Operation): void {
    this.#store.quickTransaction(() => this.#write(operation));
  }

  /**
   * Returns the newest operation that a request with this idempotency key of this identity started, even if the operation is no
   * longer listed.
   */
  findRequested({ idempotencyKey = '', identityId = '' }: Requester): AcceptedRequest | undefined {
    const row = this.#store.database
      .prepare(
        `SELECT operation_id, kind FROM deployment_key WHERE identity_id = ? AND key = ?
         ORDER BY position DESC LIMIT 1`,
      )
      .get(identityId, idempotencyKey);
    if (row === undefined) return undefined;
    return {
      id: String(row['operation_id']),
      operation: row['kind'] === 'INSTALL' ? 'INSTALL' : 'UNINSTALL',
    };
  }

  #write(operation: Operation): void {
    this.#store.database
      .prepare(
        `INSERT INTO deployment_operation (id, content) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET content = excluded.content`,
      )
      .run(operation.id, JSON.stringify(operation));
    this.#storeKey(operation);
    if (!isPending(operation)) this.#trim();
  }

  #storeKey({ id, operation, requester: { idempotencyKey, identityId } }: Operation): void {
    if (idempotencyKey === undefined || identityId === undefined) return;
    const { database } = this.#store;
    database
      .prepare(
        'INSERT OR IGNORE INTO deployment_key (identity_id, key, operation_id, kind) VALUES (?, ?, ?, ?)',
      )
      .run(identityId, idempotencyKey, id, operation);
    database
      .prepare('DELETE FROM deployment_key WHERE position <= (SELECT max(position) FROM deployment_key) - ?')
      .run(MAXIMUM_KEPT_KEYS);
  }

  #trim(): void {
    this.#store.database
      .prepare(
        `DELETE FROM deployment_operation WHERE content ->> 'state' IN ('COMPLETED', 'FAILED') AND position <=
           (SELECT max(position) FROM deployment_operation) - ?`,
      )
      .run(MAXIMUM_KEPT_OPERATIONS);
  }
}
