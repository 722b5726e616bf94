import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { systemClock } from '../../daemon/base/clock.ts';
import { MAXIMUM_EVENTS } from '../../daemon/security/audit/sqlite-audit-store.ts';
import { storeAuditEvents } from '../bench/audit-events.ts';
import { catchUp, openRecordedPlant } from '../bench/recorded-plant.ts';
import type { Bench } from '../bench/bench.ts';
import { RECORDERS, RECORDING_BYTES } from './plant.ts';

const EVENT_INTERVAL_MS = 5;
/** An event of the soak needs no more on average. */
const WRITTEN =
  'SUCCESS setpoint 12.5, before 11.5 at 2026-01-01T00:00:00.000Z, verified by a read after 12 ms';
const SAMPLES_AT_ONCE = 1000;
const SAMPLE_CHARACTERS = 500;
const HOUR_MS = 3_600_000;

/** Fills a data directory with all the audit events and samples that a gateway keeps, as after a long run: each new one displaces another. */
export async function prepareState(bench: Bench, dataDirectory: string): Promise<void> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  await fillAudit(dataDirectory);
  await fillRecording(bench, path.join(dataDirectory, 'recording'));
}

function fillAudit(directory: string): Promise<void> {
  const fromMs = Date.now() - MAXIMUM_EVENTS * EVENT_INTERVAL_MS - HOUR_MS;
  return storeAuditEvents(directory, {
    count: MAXIMUM_EVENTS,
    describe: (index) => [
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
      fromMs + index * EVENT_INTERVAL_MS,
    ],
  });
}

/** Texts fill a history sooner than numbers. */
async function fillRecording(bench: Bench, directory: string): Promise<void> {
  const series = { asset: 'removed', channel: 'text', valueType: 'STRING' } as const;
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
