import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { Bench } from '../bench.ts';
import { medianOf, ratiosOf } from '../load.ts';
import type { Load, Measured } from '../load.ts';
import { READS } from '../measured.ts';
import {
  createChannels,
  createDriver,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import { prepareLoad, readCost } from '../prepared.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';
import type { Results } from '../statistics.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 16, atMost: 60 };
const CHANNELS = 100;
const PASSWORD = 'correct-horse-9';

/** Grants that together permit every channel of the asset: one for all, or one for each beside those for other assets. */
function createGrants(count: number): readonly object[] {
  if (count === 1) return [{ assets: ['hun*'], operations: ['READ'] }];
  const own = createChannels(sequence(CHANNELS)).map((channel) => ({
    assets: ['hundred'],
    channels: [(channel as { readonly name: string }).name],
    operations: ['READ'],
  }));
  const others = sequence(count - CHANNELS).map((index) => ({
    assets: [`line${index}-*`],
    channels: ['flow*', 'level'],
    operations: ['READ', 'WRITE'],
    until: '2099-01-01T00:00:00Z',
  }));
  return [...others, ...own];
}

const GRANTEES = [
  { name: 'grants1', count: 1, gate: 1.05, goal: 1.02 },
  { name: 'grants100', count: 100, gate: 1.08, goal: 1.03 },
  { name: 'grants10000', count: 10_000, gate: 1.15, goal: 1.05 },
] as const;

/** Reads by identities with grants, compared with the same reads by one with the permission for all assets. */
export const grants: Scenario = {
  name: 'grants',
  measures: READS,
  async run(bench) {
    const { gateway, load } = await start(bench);
    const durationMs = bench.choose({ full: 160, quick: 110 });
    const prepare = async (identity?: { readonly name: string; readonly password: string }) => {
      const session = await openSession(gateway, identity);
      const requests = [formatGet(readPath('hundred'), session)];
      const clients = await load.open(bench, { port: httpsPort(gateway), requests, count: CONNECTIONS });
      await load.run(gateway.process, bench.choose({ full: 1500, quick: 350 }), clients);
      return () => load.run(gateway.process, durationMs, clients);
    };
    const measurements: Record<string, () => Promise<Measured>> = { none: await prepare() };
    for (const { name } of GRANTEES) measurements[name] = await prepare({ name, password: PASSWORD });
    const describe = ({ none = [], ...results }: Results<string, Measured>): readonly Line[] =>
      GRANTEES.map(({ name, count, gate, goal }) => {
        const measured = results[name] ?? [];
        return {
          row: 25,
          name: `GET _read with ${count} ${count === 1 ? 'grant' : 'grants'}: CPU ÷ with the permission`,
          value: `${medianOf(measured, 'cpuUsPerRequest').toFixed(1)} µs`,
          floor: `${medianOf(none, 'cpuUsPerRequest').toFixed(1)} µs`,
          rounds: ratiosOf(measured, none, 'cpuUsPerRequest'),
          isProcessorTime: true,
          unit: '×',
          gate: { atMost: gate },
          goal: { atMost: goal },
        };
      });
    return measureUntilDecided(bench, LIMITS, measurements, describe);
  },
  async prepare(bench) {
    const plant = await start(bench);
    const measurements: Measurement[] = [];
    for (const grantee of [undefined, ...GRANTEES]) {
      const identity = grantee && { name: grantee.name, password: PASSWORD };
      const session = await openSession(plant.gateway, identity);
      const requests = [formatGet(readPath('hundred'), session)];
      const clients = { port: httpsPort(plant.gateway), requests, count: CONNECTIONS };
      const way = grantee === undefined ? 'the permission' : `grants: ${grantee.count}`;
      measurements.push(await prepareLoad(bench, plant, clients, readCost(`GET _read with ${way}`)));
    }
    return measurements;
  },
};

async function start(bench: Bench): Promise<{ readonly gateway: RunningGateway; readonly load: Load }> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const gateway = await startPlant(bench, {
    drivers: [createDriver('line', device.port)],
    assets: [{ pid: 'hundred', driver: 'line', channels: createChannels(sequence(CHANNELS)) }],
    identities: GRANTEES.map(({ name, count }) => ({
      name,
      password: PASSWORD,
      grants: createGrants(count),
    })),
  });
  return { gateway, load: await bench.startLoad() };
}
