import path from 'node:path';

import { openStore } from '../../daemon/base/store/store.ts';
import { toAuditEvent } from '../../daemon/security/audit/audit-event.ts';
import type { AuditReport } from '../../daemon/security/audit/audit-event.ts';
import { loadAuditKey } from '../../daemon/security/audit/audit-key.ts';
import { createChainHead } from '../../daemon/security/audit/chain-head.ts';
import { auditMigrations, createSqliteAuditStore } from '../../daemon/security/audit/sqlite-audit-store.ts';
import { sequence } from './plant.ts';

const EVENTS_AT_ONCE = 5000;
const FIRST_MS = 1_767_225_600_000;
const KINDS = ['CHANNEL_WRITE', 'LOGIN', 'CONFIGURATION_CHANGED', 'TOKEN_ISSUED'] as const;

/** Events of a gateway that has run for long. */
interface StoredEvents {
  /** A multiple of 5,000. */
  readonly count: number;
  /** Makes the event with a number, and its milliseconds since the epoch. By default there are several kinds, one event per second. */
  readonly describe?: (index: number) => readonly [report: AuditReport, timeMs: number];
}

/** Adds events to the store of a gateway that is stopped, as the gateway itself stores them: half a minute for a million. */
export async function storeAuditEvents(
  dataDirectory: string,
  { count, describe = describeEvent }: StoredEvents,
): Promise<void> {
  const store = openStore(path.join(dataDirectory, 'penstock.db'), [auditMigrations], { isChecked: false });
  try {
    const key = await loadAuditKey(path.join(dataDirectory, 'audit-key.pem'));
    const head = createChainHead(path.join(dataDirectory, 'audit-head'), key);
    const audit = createSqliteAuditStore({ store, key, head, maximumEvents: 2 * count });
    for (let first = 0; first < count; first += EVENTS_AT_ONCE) {
      audit.append(sequence(EVENTS_AT_ONCE, first).map((index) => toAuditEvent(...describe(index))));
    }
    audit.seal();
  } finally {
    store.close();
  }
}

function describeEvent(index: number): readonly [report: AuditReport, timeMs: number] {
  const report: AuditReport = {
    event: KINDS[(index * 7919) % KINDS.length] ?? 'LOGIN',
    outcome: index % 10 === 0 ? 'FAILURE' : 'SUCCESS',
    identity: `user${index % 1000}`,
    method: 'session',
    address: '192.0.2.7',
    requestId: '3f0c2a9e-3f0b-4a8c-9a53-2f7a4a3f9f10',
    target: '/services/assets/boiler/_write',
    detail: { asset: 'boiler', channels: 1, failed: 0, 'channels[0]': 'SUCCESS setpoint 62.5' },
  };
  return [report, FIRST_MS + 1000 * index];
}
