import path from 'node:path';

import { toAuditEvent } from '../../../../daemon/security/audit/audit-event.ts';
import type { AuditEvent, AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import { AuditLog } from '../../../../daemon/security/audit/audit-log.ts';
import type { AuditChain } from '../../../../daemon/security/audit/chain-verifier.ts';
import type { AuditStore, StoredAuditEvent } from '../../../../daemon/security/audit/audit-store.ts';
import { createChainHead } from '../../../../daemon/security/audit/chain-head.ts';
import {
  auditMigrations,
  createSqliteAuditStore,
} from '../../../../daemon/security/audit/sqlite-audit-store.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import type { AuditKey } from '../../../../daemon/security/audit/audit-key.ts';
import { createAuditKey } from '../../../support/audit-key.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

export interface OpenAuditStore {
  readonly store: Store;
  readonly audit: AuditStore;
  readonly key: AuditKey;
  readonly file: string;
}

/** Opens a store on disk until the test ends. */
export function openAuditStore(
  t: Owner,
  {
    file = path.join(createTemporaryDirectory(t), 'store.db'),
    maximumEvents = 100_000,
    key = createAuditKey(),
  } = {},
): OpenAuditStore {
  const store = openStore(file, [auditMigrations]);
  t.after(() => {
    if (store.database.isOpen) store.close();
  });
  const head = createChainHead(`${file}.head`, key);
  return { store, audit: createSqliteAuditStore({ store, key, head, maximumEvents }), key, file };
}

/** An audit log with everything it depends on. */
export function openAuditLog(t: Owner, file?: string, key = createAuditKey()) {
  const opened = openAuditStore(t, file === undefined ? { key } : { file, key });
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const log = new AuditLog({ store: opened.audit, clock, logger });
  return { ...opened, clock, lines: logger.lines, log };
}

/** Limits the disk to the pages that exist already; returns a function that lifts the limit. */
export function fillDisk({ database }: Store): () => void {
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {};
  database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
  return () => database.exec('PRAGMA max_page_count = 1000000');
}

export const login: AuditReport = {
  event: 'LOGIN',
  outcome: 'SUCCESS',
  identity: 'scada',
  method: 'password',
};
export const failedLogin: AuditReport = { ...login, outcome: 'FAILURE' };
/** Does not fit into an existing page. */
export const largeReport: AuditReport = {
  event: 'CHANNEL_WRITE',
  outcome: 'SUCCESS',
  detail: Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`note ${index}`, 'x'.repeat(200)])),
};

/** Creates `count` events, one millisecond apart. */
export function createEvents(report: AuditReport, count: number, startMs = 1000): readonly AuditEvent[] {
  return Array.from({ length: count }, (_, index) => toAuditEvent(report, startMs + index));
}

/** Every event in the store, oldest first, without its hash. */
export function readAll(audit: AuditStore): readonly StoredAuditEvent[] {
  const { events } = finish(audit.query({ limit: 1000 }));
  return events.map(({ hash: _hash, ...event }) => event).toReversed();
}

/** The chain of every event in the store. */
export function readChain(audit: AuditStore): AuditChain {
  audit.seal();
  const page = finish(audit.readChain({ after: 0, limit: 100_000 }));
  if (page === undefined) throw new Error('retention removed events while the chain was read');
  const { events, gaps = [], breaks, checkpoints = [] } = page;
  return { events, gaps, breaks, checkpoints };
}
