import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import type { RunningGateway } from '../support/gateway.ts';
import type { Bench } from './bench.ts';
import type { Load, OpenedClients } from './load.ts';
import {
  createChannels,
  createDriver,
  createPlant,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
} from './plant.ts';
import { startProgram } from './program.ts';

const READERS = 10;
const READ_INTERVAL_MS = 20;

/** A gateway with clients that read ten channels at a fixed pace, warmed up. */
interface PacedReaders {
  readonly gateway: RunningGateway;
  readonly port: number;
  readonly load: Load;
  readonly readers: OpenedClients;
}

/**
 * Starts a gateway in front of a libmodbus server, and readers whose pace shows what other clients cost them.
 *
 * @param identities of other clients
 */
export async function startPacedReaders(
  bench: Bench,
  identities: readonly object[] = [],
): Promise<PacedReaders> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const plant = createPlant({
    drivers: [createDriver('line', device.port)],
    assets: [{ pid: 'ten', driver: 'line', channels: createChannels(sequence(10)) }],
    identities,
  });
  const gateway = await startProgram(bench, { config: { provision: plant } });
  const load = await bench.startLoad();
  const port = httpsPort(gateway);
  const readers = await load.open(bench, {
    port,
    requests: [formatGet(readPath('ten'), await openSession(gateway))],
    count: READERS,
    intervalMs: READ_INTERVAL_MS,
  });
  await load.run(gateway.process, bench.choose({ full: 1500, quick: 300 }), readers);
  return { gateway, port, load, readers };
}
