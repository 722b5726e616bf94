import { setTimeout } from 'node:timers/promises';

import { startHoardingClients } from '../../support/hoarding-clients.ts';
import { medianOf, ratiosOf } from '../load.ts';
import { READS } from '../measured.ts';
import { startPacedReaders } from '../paced-readers.ts';
import { sequence } from '../plant.ts';
import { readResidentMiB } from '../process-usage.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';

const LIMITS = { atLeast: 6, atMost: 12 };
const REQUESTS_AHEAD = 200;
// The time in which they hold their requests counts, not the time in which they connect.
const SETTLE_MS = 1000;
// The share of one network and more, and as many as four networks have.
const [FEW, MANY] = [60, 400];

/** Paced reads beside strangers who ask for large answers ahead and read none of them. */
export const hoardingClients: Scenario = {
  name: 'hoarding-clients',
  measures: [...READS, 'daemon/server/rest/description-routes.ts', 'daemon/server/rest/openapi.ts'],
  async run(bench) {
    const { gateway, port, load, readers } = await startPacedReaders(bench);
    const durationMs = bench.choose({ full: 1400, quick: 700 });
    const aloneMiB = readResidentMiB(gateway.process.pid ?? 0);
    let besideMiB = 0;
    const beside = async (connections: number, isPipelined: boolean) => {
      const requests = sequence(REQUESTS_AHEAD).map(
        () => 'GET /services/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
      );
      const clients = { port, connections, addresses: 4, requests, isPipelined, reading: 'NEVER' } as const;
      const stop = await startHoardingClients(bench, clients);
      await setTimeout(SETTLE_MS);
      const measured = await load.run(gateway.process, durationMs, readers);
      besideMiB = Math.max(besideMiB, readResidentMiB(gateway.process.pid ?? 0));
      await stop();
      return measured;
    };
    const measurements = {
      alone: () => load.run(gateway.process, durationMs, readers),
      few: () => beside(FEW, true),
      many: () => beside(MANY, true),
      single: () => beside(MANY, false),
    };
    const names = {
      few: `${FEW} strangers who send ${REQUESTS_AHEAD} requests ahead and read nothing`,
      many: `${MANY} of them`,
      single: `${MANY} who send one request and read nothing`,
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ alone, ...others }) => [
      ...(
        [
          [others.few, names.few],
          [others.many, names.many],
          [others.single, names.single],
        ] as const
      ).map(([measured, name]) => ({
        name: `reads beside ${name}: p99 ÷ alone`,
        value: `${(medianOf(measured, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(alone, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: ratiosOf(measured, alone, 'p99Us'),
        unit: '×',
        gate: { atMost: 3 },
      })),
      {
        name: 'memory of the gateway beside them',
        value: `${besideMiB.toFixed(0)} MiB`,
        floor: `${aloneMiB.toFixed(0)} MiB`,
        rounds: [besideMiB - aloneMiB],
        isUntimed: true,
        unit: 'MiB',
      },
    ]);
  },
};
