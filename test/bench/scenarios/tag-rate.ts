import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
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
import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';

const ASSETS = 10;
const CHANNELS_OF_ASSET = 100;
const INTERVAL_MS = 100;
const TAGS_PER_SECOND = (ASSETS * CHANNELS_OF_ASSET * 1000) / INTERVAL_MS;

/** A steady stream of values, each read from its device. */
export const tagRate: Scenario = {
  name: 'tag-rate',
  async run(bench) {
    const devices = await Promise.all(sequence(ASSETS).map(() => startLibmodbusServer()));
    for (const device of devices) bench.after(() => device.close());
    const gateway = await startPlant(bench, {
      drivers: devices.map(({ port }, index) => createDriver(`line${index}`, port)),
      assets: devices.map((_device, index) => ({
        pid: `asset${index}`,
        driver: `line${index}`,
        channels: createChannels(sequence(CHANNELS_OF_ASSET)),
      })),
    });
    const session = await openSession(gateway);
    const load = await bench.startLoad();
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: sequence(ASSETS).map((index) => formatGet(readPath(`asset${index}`), session)),
      count: ASSETS,
      intervalMs: INTERVAL_MS,
    });
    await load.run(gateway.process, bench.choose({ full: 5000, quick: 1000 }), clients);
    const durationMs = bench.choose({ full: 60_000, quick: 5000 });
    const pid = gateway.process.pid ?? 0;
    const before = readCpuTime(pid);
    const { requests, seconds } = await load.run(gateway.process, durationMs, clients);
    const cores = cpuMicrosecondsBetween(before, readCpuTime(pid)) / (seconds * 1_000_000);
    const tagsPerSecond = (requests * CHANNELS_OF_ASSET) / seconds;
    return [
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: tags that came`,
        value: `${tagsPerSecond.toFixed(0)}/s`,
        floor: `${TAGS_PER_SECOND}/s`,
        figure: tagsPerSecond / TAGS_PER_SECOND,
        unit: '×',
        gate: { atLeast: 0.95 },
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: processor time`,
        value: `${(cores * 100).toFixed(1)} %`,
        figure: cores * 100,
        unit: '% of a core',
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: memory`,
        value: `${readResidentMiB(pid).toFixed(0)} MiB`,
        figure: readResidentMiB(pid),
        unit: 'MiB',
      },
    ];
  },
};
