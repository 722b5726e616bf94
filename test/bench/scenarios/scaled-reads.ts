import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { Bench } from '../bench.ts';
import { medianOf, ratiosOf } from '../load.ts';
import type { Load, Measured } from '../load.ts';
import { READS } from '../measured.ts';
import { createDriver, formatGet, httpsPort, openSession, readPath, sequence, startPlant } from '../plant.ts';
import { prepareLoad, readCost } from '../prepared.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Measurement, Scenario } from '../scenario.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 16, atMost: 60 };
const CHANNELS = 100;
// Every register of the device holds its offset: the first ten are exponents from 0 to 9.
const SCALES = 10;

const WAYS = ['fixed', 'scaled'] as const;

/** Creates channels as a SunSpec model has them, ten to a scale; or the same with a scale of the configuration. */
function createModel(way: (typeof WAYS)[number]): readonly object[] {
  const place = (offset: number): object => ({
    unitId: 1,
    table: 'HOLDING_REGISTERS',
    offset,
    dataType: 'INT16',
  });
  return sequence(CHANNELS).map((index) => {
    const scale = way === 'fixed' ? { valueScale: 0.1 } : { scaleFrom: { address: place(index % SCALES) } };
    const point = { name: `point${String(index).padStart(3, '0')}`, type: 'READ', valueType: 'DOUBLE' };
    return Object.assign(point, { unit: 'V', address: place(SCALES + index) }, scale);
  });
}

/** Reads of channels whose scale the device provides, compared with those of channels with a fixed scale. */
export const scaledReads: Scenario = {
  name: 'scaled-reads',
  measures: READS,
  async run(bench) {
    const { gateway, load } = await start(bench);
    const durationMs = bench.choose({ full: 160, quick: 110 });
    const session = await openSession(gateway);
    const prepare = async (way: (typeof WAYS)[number]): Promise<() => Promise<Measured>> => {
      const requests = [formatGet(readPath(way), session)];
      const clients = await load.open(bench, { port: httpsPort(gateway), requests, count: CONNECTIONS });
      await load.run(gateway.process, bench.choose({ full: 1500, quick: 350 }), clients);
      return () => load.run(gateway.process, durationMs, clients);
    };
    const measurements = { fixed: await prepare('fixed'), scaled: await prepare('scaled') };
    return measureUntilDecided(bench, LIMITS, measurements, ({ fixed, scaled }) => [
      {
        name: `GET _read of ${CHANNELS} channels with scales of the device: CPU ÷ with fixed ones`,
        value: `${medianOf(scaled, 'cpuUsPerRequest').toFixed(1)} µs`,
        floor: `${medianOf(fixed, 'cpuUsPerRequest').toFixed(1)} µs`,
        rounds: ratiosOf(scaled, fixed, 'cpuUsPerRequest'),
        isProcessorTime: true,
        unit: '×',
        gate: { atMost: 1.1 },
        goal: { atMost: 1.05 },
      },
    ]);
  },
  async prepare(bench) {
    const plant = await start(bench);
    const session = await openSession(plant.gateway);
    const measurements: Measurement[] = [];
    for (const way of WAYS) {
      const requests = [formatGet(readPath(way), session)];
      const clients = { port: httpsPort(plant.gateway), requests, count: CONNECTIONS };
      const read = readCost(`GET _read of ${CHANNELS} ${way} channels`);
      measurements.push(await prepareLoad(bench, plant, clients, read));
    }
    return measurements;
  },
};

async function start(bench: Bench): Promise<{ readonly gateway: RunningGateway; readonly load: Load }> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const gateway = await startPlant(bench, {
    drivers: [createDriver('line', device.port)],
    assets: WAYS.map((pid) => ({ pid, driver: 'line', channels: createModel(pid) })),
  });
  return { gateway, load: await bench.startLoad() };
}
