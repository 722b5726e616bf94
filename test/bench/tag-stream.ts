import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import type { RunningGateway } from '../support/gateway.ts';
import type { Bench } from './bench.ts';
import type { Load, OpenedClients } from './load.ts';
import {
  createChannels,
  createDriver,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from './plant.ts';

const ASSETS = 10;
/** Channels that each request of the stream reads. */
export const CHANNELS_OF_ASSET = 100;
/** Values that come in a second unless told otherwise, each read from its device. */
export const TAGS_PER_SECOND = 10_000;

/** A gateway with clients that read a steady stream of values, warmed up. */
interface TagStream {
  readonly gateway: RunningGateway;
  readonly load: Load;
  readonly readers: OpenedClients;
  /** Head fields of a session. */
  readonly session: Readonly<Record<string, string>>;
}

/** Starts devices, a gateway in front of them, and the readers; the first device has `channels` beside those that are read, as the asset `other`. */
export async function startTagStream(
  bench: Bench,
  {
    channels = [],
    tagsPerSecond = TAGS_PER_SECOND,
  }: { readonly channels?: readonly object[]; readonly tagsPerSecond?: number } = {},
): Promise<TagStream> {
  const devices = await Promise.all(sequence(ASSETS).map(() => startLibmodbusServer()));
  for (const device of devices) bench.after(() => device.close());
  const gateway = await startPlant(bench, {
    drivers: devices.map(({ port }, index) => createDriver(`line${index}`, port)),
    assets: [
      ...devices.map((_device, index) => ({
        pid: `asset${index}`,
        driver: `line${index}`,
        channels: createChannels(sequence(CHANNELS_OF_ASSET)),
      })),
      ...(channels.length === 0 ? [] : [{ pid: 'other', driver: 'line0', channels }]),
    ],
  });
  const session = await openSession(gateway);
  const load = await bench.startLoad();
  const clients = {
    port: httpsPort(gateway),
    requests: sequence(ASSETS).map((index) => formatGet(readPath(`asset${index}`), session)),
    count: ASSETS,
  };
  // The runtime compiles for speed what it has called 10,000 times (systemd/penstockd): minutes at the pace of the stream.
  const hurried = await load.open(bench, clients);
  await load.run(gateway.process, bench.choose({ full: 4000, quick: 2000 }), hurried);
  const intervalMs = (ASSETS * CHANNELS_OF_ASSET * 1000) / tagsPerSecond;
  const readers = await load.open(bench, { ...clients, intervalMs });
  await load.run(gateway.process, bench.choose({ full: 5000, quick: 1000 }), readers);
  return { gateway, load, readers, session };
}
