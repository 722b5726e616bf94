import type { RunningGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import { createRandom } from '../../support/random.ts';
import { READS } from '../measured.ts';
import {
  createChannels,
  createDriver,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import type { Bench } from '../bench.ts';
import type { PlantAsset } from '../plant.ts';
import type { Scenario } from '../scenario.ts';

const MAXIMUM_REGISTERS = 125;
const GAP = 12;

/** How many requests one read costs on the device. */
export const deviceTransactions: Scenario = {
  name: 'device-transactions',
  measures: READS,
  async run(bench) {
    return (await countReads(bench, await startReads(bench))).map(({ name, requests, planned }) => ({
      row: 4,
      name,
      value: String(requests),
      floor: String(planned),
      rounds: [requests / planned],
      isUntimed: true,
      unit: '×',
      gate: { atMost: 1 },
      goal: { atMost: 1 },
    }));
  },
  async prepare(bench) {
    const reads = await startReads(bench);
    return [
      async () =>
        (await countReads(bench, reads)).map(({ name, requests }) => ({
          name,
          value: requests,
          unit: 'requests',
          better: 'LESS',
        })),
    ];
  },
};

/** An asset, and the number of requests that reading it is planned to take. */
interface PlannedRead {
  readonly name: string;
  readonly asset: PlantAsset;
  readonly planned: number;
}

interface Reads {
  readonly gateway: RunningGateway;
  readonly device: ModbusProcess;
  /** Head fields of the session. */
  readonly headers: Record<string, string>;
  readonly planned: readonly PlannedRead[];
}

async function startReads(bench: Bench): Promise<Reads> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const scattered = scatter(300);
  const planned: readonly PlannedRead[] = [
    ...[10, 100, 1000].map((count) => ({
      name: `device requests per read, ${count} contiguous`,
      asset: { pid: `contiguous${count}`, driver: 'line', channels: createChannels(sequence(count)) },
      planned: Math.ceil(count / MAXIMUM_REGISTERS),
    })),
    ...(['line', 'joining'] as const).map((driver) => ({
      name: `device requests per read, 300 scattered, gaps up to ${driver === 'line' ? 0 : GAP}`,
      asset: { pid: `scattered-${driver}`, driver, channels: createChannels(scattered) },
      planned: countGreedily(scattered, driver === 'line' ? 0 : GAP),
    })),
  ];
  const gateway = await startPlant(bench, {
    drivers: [createDriver('line', device.port), createDriver('joining', device.port, { maximumGap: GAP })],
    assets: planned.map(({ asset }) => asset),
  });
  return { gateway, device, headers: await openSession(gateway), planned };
}

/** Reads each asset once, and counts what arrives at the device. */
async function countReads(
  bench: Bench,
  { gateway, device, headers, planned }: Reads,
): Promise<readonly (PlannedRead & { readonly requests: number })[]> {
  const counted: (PlannedRead & { readonly requests: number })[] = [];
  for (const read of planned) {
    await device.countRequests();
    const path = readPath(read.asset.pid);
    const answer = await send({ port: httpsPort(gateway) }, 'GET', path, { headers });
    bench.tally.requests += 1;
    if (answer.status !== 200 || answer.text.includes('FAILURE')) bench.tally.failures += 1;
    counted.push({ ...read, requests: await device.countRequests() });
  }
  return counted;
}

function scatter(count: number): readonly number[] {
  const random = createRandom(7);
  const offsets: number[] = [];
  let offset = 0;
  while (offsets.length < count) {
    offsets.push(offset);
    offset += random() < 0.7 ? 1 : 2 + Math.floor(random() * 30);
  }
  return offsets;
}

/** Counts requests that are filled from the lowest address on and never read across a larger gap. */
function countGreedily(offsets: readonly number[], gap: number): number {
  let requests = 0;
  let [start, last] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const offset of offsets) {
    if (offset - last - 1 > gap || offset - start >= MAXIMUM_REGISTERS) {
      requests += 1;
      start = offset;
    }
    last = offset;
  }
  return requests;
}
