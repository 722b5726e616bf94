import { medianOf } from '../load.ts';
import type { Measured } from '../load.ts';
import { READS } from '../measured.ts';
import { formatGet, httpsPort, readPath } from '../plant.ts';
import { prepareLoad, preparePlant } from '../prepared.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Reading, Scenario } from '../scenario.ts';

const CLIENTS = 100;
const LIMITS = { atLeast: 9, atMost: 32 };

/** How evenly many clients are served with large answers. */
export const largeAnswers: Scenario = {
  name: 'large-answers',
  measures: READS,
  async run(bench) {
    const { gateway, load, session } = await preparePlant(bench);
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [formatGet(readPath('thousand'), session)],
      count: CLIENTS,
    });
    await load.run(gateway.process, bench.choose({ full: 2000, quick: 400 }), clients);
    const durationMs = bench.choose({ full: 1000, quick: 700 });
    const measurements = { rounds: () => load.run(gateway.process, durationMs, clients) };
    return measureUntilDecided(bench, LIMITS, measurements, ({ rounds }) => [
      {
        row: 19,
        name: `1000 channels to ${CLIENTS} clients: p99 ÷ p50`,
        value: `${(medianOf(rounds, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(rounds, 'p50Us') / 1000).toFixed(1)} ms`,
        rounds: rounds.map(({ p99Us, p50Us }) => p99Us / p50Us),
        unit: '×',
        gate: { atMost: 4 },
        goal: { atMost: 2.5 },
      },
    ]);
  },
  async prepare(bench) {
    const { gateway, load, session } = await preparePlant(bench);
    const requests = [formatGet(readPath('thousand'), session)];
    const clients = { port: httpsPort(gateway), requests, count: CLIENTS };
    const plant = { gateway, load };
    const name = `1000 channels to ${CLIENTS} clients`;
    const durationMs = bench.choose({ full: 1000, quick: 500 });
    const read = ({ p50Us, p99Us, cpuUsPerRequest }: Measured): readonly Reading[] => [
      { name: `${name}: p50`, value: p50Us / 1000, unit: 'ms', better: 'LESS' },
      { name: `${name}: p99`, value: p99Us / 1000, unit: 'ms', better: 'LESS' },
      { name: `${name}: CPU per request`, value: cpuUsPerRequest, unit: 'µs', better: 'LESS' },
    ];
    return [await prepareLoad(bench, plant, clients, read, durationMs)];
  },
};
