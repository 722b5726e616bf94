import { buildLibmodbusClient } from '../../support/libmodbus-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { captureAnswer, startBareServer } from '../bare-server.ts';
import { READS } from '../measured.ts';
import { formatGet, httpsPort, openSession, readPath, startThreeSizes } from '../plant.ts';
import { canPin, pin } from '../process-usage.ts';
import { prepareLoad, preparePlant } from '../prepared.ts';
import { startRemote } from '../remote.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';
import { divideRounds, median, subtractRounds } from '../statistics.ts';

const LIMITS = { atLeast: 9, atMost: 41 };
const SIZES = [
  { pid: 'ten', channels: 10, gate: 2, goal: 1.4 },
  { pid: 'hundred', channels: 100, gate: 2.2, goal: 1.4 },
  { pid: 'thousand', channels: 1000, gate: 2, goal: 1.2 },
] as const;

/** One client that reads through the gateway, beside loops that ask the device for the same registers themselves. */
export const addedLatency: Scenario = {
  name: 'added-latency',
  measures: READS,
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const gateway = await startThreeSizes(bench, device);
    const session = await openSession(gateway);
    const load = await bench.startLoad();
    const readDirectly = buildLibmodbusClient(bench, canPin ? ['taskset', '-c', '0'] : []);
    const loop = await startRemote(bench, 'modbus-loop-process.ts');
    pin(loop.pid, 'server');
    await loop.call('connect', device.port);
    const durationMs = bench.choose({ full: 200, quick: 90 });
    const lines: Line[] = [];
    for (const size of SIZES) {
      const { pid } = size;
      const clients = await load.open(bench, {
        port: httpsPort(gateway),
        requests: [formatGet(readPath(pid), session)],
        count: 1,
      });
      const answers = { [readPath(pid)]: await captureAnswer(gateway, readPath(pid), session) };
      const bare = await startBareServer(bench, gateway, { answers });
      const bareClients = await load.open(bench, {
        port: bare.port,
        requests: [formatGet(readPath(pid))],
        count: 1,
      });
      await load.run(bare, durationMs, bareClients);
      // The runtime compiles for speed what it has called 10,000 times (systemd/penstockd), on the core that answers.
      await load.run(gateway.process, bench.choose({ full: 8000, quick: 500 }), clients);
      const clientCosts: number[] = [];
      const measurements = {
        own: async () => (await load.run(gateway.process, durationMs, clients)).p50Us,
        library: () => loop.call<number>('readRegisters', { registers: size.channels, durationMs }),
        direct: () => readDirectly(device.port, size.channels, durationMs),
        bare: async () => {
          const { p50Us, clientUsPerRequest } = await load.run(bare, durationMs, bareClients);
          clientCosts.push(clientUsPerRequest);
          return p50Us;
        },
      };
      const found = await measureUntilDecided(
        bench,
        LIMITS,
        measurements,
        ({ own, bare: ofBare, ...loops }) => {
          // What is left is what a client without cost would see; what other programs add to it is not its cost.
          const clientUs = Math.min(...clientCosts);
          const withoutClient = (p50s: readonly number[]): readonly number[] =>
            p50s.map((p50) => p50 - clientUs);
          return [
            ...compare(size, { ...loops, own: withoutClient(own), bare: withoutClient(ofBare) }),
            {
              row: 3,
              name: `one client, ${size.channels} channels: processor time of the client, taken off its p50`,
              value: `${clientUs.toFixed(0)} µs`,
              rounds: clientCosts,
              isProcessorTime: true,
              unit: 'µs',
            },
          ];
        },
      );
      lines.push(...found);
    }
    return lines;
  },
  async prepare(bench) {
    const { gateway, load, session } = await preparePlant(bench);
    const measurements: Measurement[] = [];
    for (const { pid, channels } of SIZES) {
      const clients = { port: httpsPort(gateway), requests: [formatGet(readPath(pid), session)], count: 1 };
      measurements.push(
        await prepareLoad(bench, { gateway, load }, clients, ({ p50Us, cpuUsPerRequest }) => [
          { name: `one client, ${channels} channels: p50`, value: p50Us, unit: 'µs', better: 'LESS' },
          {
            name: `one client, ${channels} channels: CPU`,
            value: cpuUsPerRequest,
            unit: 'µs',
            better: 'LESS',
          },
        ]),
      );
    }
    return measurements;
  },
};

function compare(
  { channels, gate, goal }: (typeof SIZES)[number],
  { own, library, direct, bare }: Readonly<Record<'own' | 'library' | 'direct' | 'bare', readonly number[]>>,
): readonly Line[] {
  const name = `one client, ${channels} channels: p50 added`;
  const value = `${median(own).toFixed(0)} µs`;
  const addedTo = (floor: readonly number[]): readonly number[] => subtractRounds(own, floor);
  return [
    {
      row: 3,
      name: `${name} to libmodbus`,
      value,
      floor: `${median(direct).toFixed(0)} µs`,
      rounds: addedTo(direct),
      unit: 'µs',
    },
    {
      row: 3,
      name: `${name} to modbus-serial`,
      value,
      floor: `${median(library).toFixed(0)} µs`,
      rounds: addedTo(library),
      unit: 'µs',
    },
    {
      row: 3,
      name: `one client, ${channels} channels: p50 ÷ bare server and libmodbus`,
      value,
      floor: `${(median(bare) + median(direct)).toFixed(0)} µs`,
      rounds: divideRounds(
        own,
        bare.map((each, round) => each + (direct[round] ?? Number.NaN)),
      ),
      unit: '×',
      gate: { atMost: gate },
      goal: { atMost: goal },
    },
  ];
}
