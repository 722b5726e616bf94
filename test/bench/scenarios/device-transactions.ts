import { send } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { createRandom } from '../../support/random.ts';
import {
  createChannels,
  createDriver,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import type { Line, Scenario } from '../scenario.ts';

const MAXIMUM_REGISTERS = 125;
const GAP = 12;

/** How many requests one read costs on the device. */
export const deviceTransactions: Scenario = {
  name: 'device-transactions',
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const scattered = scatter(300);
    const cases = [
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
      assets: cases.map(({ asset }) => asset),
    });
    const headers = await openSession(gateway);
    const lines: Line[] = [];
    for (const { name, asset, planned } of cases) {
      await device.countRequests();
      const answer = await send({ port: httpsPort(gateway) }, 'GET', readPath(asset.pid), { headers });
      bench.tally.requests += 1;
      if (answer.status !== 200 || answer.text.includes('FAILURE')) bench.tally.failures += 1;
      const requests = await device.countRequests();
      lines.push({
        row: 4,
        name,
        value: String(requests),
        floor: String(planned),
        rounds: [requests / planned],
        isUntimed: true,
        unit: '×',
        gate: { atMost: 1 },
        goal: { atMost: 1 },
      });
    }
    return lines;
  },
};

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
