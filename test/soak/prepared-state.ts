import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { toAuditEvent } from '../../daemon/security/audit/audit-event.ts';
import { loadAuditKey } from '../../daemon/security/audit/audit-key.ts';
import { createChainHead } from '../../daemon/security/audit/chain-head.ts';
import {
  auditMigrations,
  createSqliteAuditStore,
  MAXIMUM_EVENTS,
} from '../../daemon/security/audit/sqlite-audit-store.ts';
import { catchUp, openRecordedPlant } from '../bench/recorded-plant.ts';
import type { Bench } from '../bench/bench.ts';
import { RECORDERS, RECORDING_BYTES } from './plant.ts';

const EVENTS_AT_ONCE = 1000;
const EVENT_INTERVAL_MS = 5;
/** An event of the soak needs no more on average. */
const WRITTEN =
  'SUCCESS setpoint 12.5, before 11.5 at 2026-01-01T00:00:00.000Z, verified by a read after 12 ms';
const SAMPLES_AT_ONCE = 1000;
const SAMPLE_CHARACTERS = 500;
const HOUR_MS = 3_600_000;

/** Fills a data directory with as many audit events and samples as a gateway keeps, as one has that has run for long: what comes then displaces something. */
export async function prepareState(bench: Bench, dataDirectory: string): Promise<void> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  await fillAudit(dataDirectory);
  await fillRecording(bench, path.join(dataDirectory, 'recording'));
}

async function fillAudit(directory: string): Promise<void> {
  const key = await loadAuditKey(path.join(directory, 'audit-key.pem'));
  const store = openStore(path.join(directory, 'penstock.db'), [auditMigrations]);
  const head = createChainHead(path.join(directory, 'audit-head'), key);
  const audit = createSqliteAuditStore({ store, key, head });
  const fromMs = Date.now() - MAXIMUM_EVENTS * EVENT_INTERVAL_MS - HOUR_MS;
  for (let first = 0; first < MAXIMUM_EVENTS; first += EVENTS_AT_ONCE) {
    audit.append(
      Array.from({ length: EVENTS_AT_ONCE }, (_, index) =>
        toAuditEvent(
          {
            event: 'CHANNEL_WRITE',
            outcome: 'SUCCESS',
            identity: 'scada',
            method: 'certificate',
            address: '127.0.0.1',
            requestId: crypto.randomUUID(),
            target: '/services/assets/plant/_write',
            detail: { asset: 'plant', channels: 1, failed: 0, 'channels[0]': WRITTEN },
          },
          fromMs + (first + index) * EVENT_INTERVAL_MS,
        ),
      ),
    );
  }
  store.close();
}

/** Texts fill a history sooner than numbers. */
async function fillRecording(bench: Bench, directory: string): Promise<void> {
  const series = { asset: 'former', channel: 'text', valueType: 'STRING' } as const;
  // Each character carries six bits.
  const count = Math.ceil((RECORDING_BYTES * 1.4) / SAMPLE_CHARACTERS);
  const fromMs = Date.now() - HOUR_MS - count;
  const plant = await openRecordedPlant(bench, directory, systemClock);
  for (let first = 0; first < count; first += SAMPLES_AT_ONCE) {
    const entries = Array.from({ length: SAMPLES_AT_ONCE }, (_, index) => {
      const takenAtMs = fromMs + first + index;
      const value = randomText();
      const timed = { timestampMs: takenAtMs, takenAtMs };
      return { sample: { series, recorders: [RECORDERS.steady], value, quality: 'GOOD' as const, ...timed } };
    });
    plant.journal.append(entries);
    await plant.journal.flush();
    await catchUp(plant);
  }
  await plant.close();
}

/** Cannot be compressed. */
function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array((SAMPLE_CHARACTERS * 3) / 4))).toString('base64');
}
