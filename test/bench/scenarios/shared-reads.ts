import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { BareAnswer } from '../bare-server-process.ts';
import { captureAnswer, startBareServer } from '../bare-server.ts';
import type { Bench } from '../bench.ts';
import { medianOf, ratiosOf } from '../load.ts';
import { READS } from '../measured.ts';
import { formatGet, httpsPort, openSession, readPath, startThreeSizes } from '../plant.ts';
import { prepareLoad, preparePlant, readCost } from '../prepared.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 12, atMost: 40 };
const KILOBYTE_PATH = '/kilobyte';

const SIZES = [
  { pid: 'ten', channels: 10, rate: [0.35, 0.6], cost: [3, 1.8] },
  { pid: 'hundred', channels: 100, rate: [0.25, 0.4], cost: [3.5, 2.2] },
  { pid: 'thousand', channels: 1000, rate: [0.15, 0.3], cost: [14, 9] },
] as const;

/** GET `_read` over kept connections with a session, beside a bare server that sends the same bytes. */
export const sharedReads: Scenario = {
  name: 'shared-reads',
  measures: READS,
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const gateway = await startThreeSizes(bench, device);
    const session = await openSession(gateway);
    const answers = Object.fromEntries(
      await Promise.all(
        SIZES.map(async ({ pid }) => [readPath(pid), await captureAnswer(gateway, readPath(pid), session)]),
      ),
    ) as Record<string, BareAnswer>;
    const headers = answers[readPath('ten')]?.headers ?? {};
    const kilobyte = { headers: { ...headers, 'content-length': '1024' }, body: 'x'.repeat(1024) };
    const bare = await startBareServer(bench, gateway, {
      answers: { ...answers, [KILOBYTE_PATH]: kilobyte },
    });
    return measure(bench, gateway, bare, session);
  },
  async prepare(bench) {
    const { gateway, load, session } = await preparePlant(bench);
    const measurements: Measurement[] = [];
    for (const { pid, channels } of SIZES) {
      const requests = [formatGet(readPath(pid), session)];
      const clients = { port: httpsPort(gateway), requests, count: CONNECTIONS };
      const read = readCost(`GET _read of ${channels} channels`);
      measurements.push(await prepareLoad(bench, { gateway, load }, clients, read));
    }
    return measurements;
  },
};

async function measure(
  bench: Bench,
  gateway: RunningGateway,
  bare: { readonly pid: number; readonly port: number },
  session: Record<string, string>,
): Promise<readonly Line[]> {
  const load = await bench.startLoad();
  const durationMs = bench.choose({ full: 160, quick: 110 });
  const warmUpMs = bench.choose({ full: 3000, quick: 350 });
  const prepare = async (port: number, path: string) => {
    const server = port === bare.port ? bare : gateway.process;
    const clients = await load.open(bench, {
      port,
      requests: [formatGet(path, session)],
      count: CONNECTIONS,
    });
    await load.run(server, warmUpMs, clients);
    return () => load.run(server, durationMs, clients);
  };
  const kilobyte = await prepare(bare.port, KILOBYTE_PATH);
  const lines: Line[] = [];
  for (const { pid, channels, rate, cost } of SIZES) {
    const name = `GET _read of ${channels} channels`;
    const measurements = {
      own: await prepare(httpsPort(gateway), readPath(pid)),
      floor: await prepare(bare.port, readPath(pid)),
      unit: kilobyte,
    };
    const found = await measureUntilDecided(bench, LIMITS, measurements, ({ own, floor, unit }) => [
      {
        row: 1,
        name: `${name}: rate ÷ bare server`,
        value: `${medianOf(own, 'perSecond').toFixed(0)}/s`,
        floor: `${medianOf(floor, 'perSecond').toFixed(0)}/s`,
        rounds: ratiosOf(floor, own, 'cpuUsPerRequest'),
        isProcessorTime: true,
        unit: '×',
        gate: { atLeast: rate[0] },
        goal: { atLeast: rate[1] },
      },
      {
        row: 2,
        name: `${name}: CPU ÷ bare 1 KB`,
        value: `${medianOf(own, 'cpuUsPerRequest').toFixed(1)} µs`,
        floor: `${medianOf(unit, 'cpuUsPerRequest').toFixed(1)} µs`,
        rounds: ratiosOf(own, unit, 'cpuUsPerRequest'),
        isProcessorTime: true,
        unit: '×',
        gate: { atMost: cost[0] },
        goal: { atMost: cost[1] },
      },
    ]);
    lines.push(...found);
  }
  return lines;
}
