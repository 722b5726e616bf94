import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { medianOf } from '../load.ts';
import type { Measured } from '../load.ts';
import { formatGet, httpsPort, openSession, readPath, startThreeSizes } from '../plant.ts';
import { prepareLoad } from '../prepared.ts';
import type { Reading, Scenario } from '../scenario.ts';
import { measureInTurn } from '../statistics.ts';

const CLIENTS = 100;

/** How evenly many clients are served with large answers. */
export const largeAnswers: Scenario = {
  name: 'large-answers',
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const gateway = await startThreeSizes(bench, device);
    const load = await bench.startLoad();
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [formatGet(readPath('thousand'), await openSession(gateway))],
      count: CLIENTS,
    });
    await load.run(gateway.process, bench.choose({ full: 2000, quick: 400 }), clients);
    const durationMs = bench.choose({ full: 1500, quick: 700 });
    const { rounds } = await measureInTurn(bench.choose({ full: 8, quick: 3 }), {
      rounds: () => load.run(gateway.process, durationMs, clients),
    });
    return [
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
    ];
  },
  async prepare(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const gateway = await startThreeSizes(bench, device);
    const requests = [formatGet(readPath('thousand'), await openSession(gateway))];
    const clients = { port: httpsPort(gateway), requests, count: CLIENTS };
    const plant = { gateway, load: await bench.startLoad() };
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
