import path from 'node:path';

import { CHAIN_ORIGIN, chainHash, renderEvent } from '../../../daemon/security/audit/audit-chain.ts';
import { toAuditEvent } from '../../../daemon/security/audit/audit-event.ts';
import { FLUSH_THRESHOLD } from '../../../daemon/security/audit/audit-log.ts';
import {
  auditMigrations,
  createSqliteAuditStore,
} from '../../../daemon/security/audit/sqlite-audit-store.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { createAuditKey, createMemoryHead } from '../../support/audit-key.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { sequence } from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const BATCHES = 50;
const LIMITS = { atLeast: 8, atMost: 20 };
const EVENTS = BATCHES * FLUSH_THRESHOLD;

/** What the hash of an event and the signature of its batch cost, beside storing the event with both. */
export const auditChain: Scenario = {
  name: 'audit-chain',
  measures: ['daemon/base', 'daemon/security/audit'],
  async run(bench) {
    const detail = { asset: 'boiler', channels: 1, failed: 0, 'channels[0]': 'SUCCESS setpoint 62.5' };
    const event = toAuditEvent(
      {
        event: 'CHANNEL_WRITE',
        outcome: 'SUCCESS',
        identity: 'scada',
        method: 'session',
        address: '192.0.2.7',
        requestId: '3f0c2a9e-3f0b-4a8c-9a53-2f7a4a3f9f10',
        target: '/services/assets/boiler/_write',
        detail,
      },
      1_767_225_600_000,
    );
    const key = createAuditKey();
    const store = openStore(path.join(createTemporaryDirectory(bench), 'penstock.db'), [auditMigrations]);
    bench.after(() => store.close());
    const audit = createSqliteAuditStore({ store, key, head: createMemoryHead() });
    const batch = sequence(FLUSH_THRESHOLD).map(() => event);
    let hash = CHAIN_ORIGIN;
    const measurements = {
      linked: () =>
        measureCpu(() => {
          for (const id of sequence(EVENTS)) {
            hash = chainHash(hash, renderEvent({ ...event, id }, JSON.stringify(detail)));
            if (id % FLUSH_THRESHOLD === 0) key.sign(hash);
          }
        }),
      stored: () =>
        measureCpu(() => {
          for (let count = 0; count < BATCHES; count += 1) audit.append(batch);
        }),
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ linked, stored }) => [
      {
        row: 27,
        name: 'hash of an audit event, with its part of a signature, beside all that storing it takes',
        value: `${median(linked).toFixed(1)} µs`,
        floor: `${median(stored).toFixed(1)} µs`,
        rounds: linked,
        isProcessorTime: true,
        unit: 'µs',
        gate: { atMost: 20 },
        goal: { atMost: 8 },
      },
    ]);
  },
};

/** Returns the processor time of one event. */
function measureCpu(work: () => void): Promise<number> {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Promise.resolve((user + system) / EVENTS);
}
