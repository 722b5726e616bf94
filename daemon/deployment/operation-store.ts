import { check, z } from '../base/schema.ts';
import { StoreError } from '../base/store.ts';
import type { Migrations, Store } from '../base/store.ts';
import { isPending, OPERATION_PHASES, OPERATION_STATES } from './operation.ts';
import type { Operation } from './operation.ts';

/** Maximum number of ended operations that are kept. */
export const MAXIMUM_KEPT_OPERATIONS = 100;

/** Table of the operations; `position` keeps the order of the requests. */
export const deploymentMigrations: Migrations = {
  room: 'deployment',
  steps: [
    `CREATE TABLE deployment_operation (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      content TEXT NOT NULL
    ) STRICT`,
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

  /** Writes a new or changed operation, and deletes the oldest that have ended; it is on disk when this returns. */
  save(operation: Operation): void {
    this.#store.transaction(() => {
      this.#store.database
        .prepare(
          `INSERT INTO deployment_operation (id, content) VALUES (?, ?)
           ON CONFLICT (id) DO UPDATE SET content = excluded.content`,
        )
        .run(operation.id, JSON.stringify(operation));
      if (!isPending(operation)) this.#trim();
    });
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
