import type { RunningGateway } from '../support/gateway.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import type { Bench } from './bench.ts';
import type { Load, Measured } from './load.ts';
import type { Clients } from './load-process.ts';
import { openSession, startThreeSizes } from './plant.ts';
import type { Measurement, Reading } from './scenario.ts';

const ROUND_MS = { full: 160, quick: 120 };
// A gateway compiles its reads for seconds. Two versions that are still at it differ by how far they are.
const WARM_UP_MS = { full: 4000, quick: 2500 };

/** Returns the processor time of a request as a reading. */
export function readCost(name: string): (measured: Measured) => readonly Reading[] {
  return ({ cpuUsPerRequest: value }) => [
    { name: `${name}: CPU per request`, value, unit: 'µs', better: 'LESS' },
  ];
}

/** A gateway in front of one device, as `startThreeSizes` starts it, with a session of the operator. */
interface PreparedPlant {
  readonly gateway: RunningGateway;
  readonly load: Load;
  /** Head fields of the session. */
  readonly session: Readonly<Record<string, string>>;
}

/** Starts a libmodbus server, and a gateway with the assets `ten`, `hundred` and `thousand` on it. */
export async function preparePlant(bench: Bench): Promise<PreparedPlant> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const gateway = await startThreeSizes(bench, device);
  return { gateway, load: await bench.startLoad(), session: await openSession(gateway) };
}

/** Opens clients, lets them warm the gateway up, and returns what measures it with them. */
export async function prepareLoad(
  bench: Bench,
  { gateway, load }: { readonly gateway: RunningGateway; readonly load: Load },
  clients: Clients,
  read: (measured: Measured) => readonly Reading[],
  durationMs = bench.choose(ROUND_MS),
): Promise<Measurement> {
  const opened = await load.open(bench, clients);
  await load.run(gateway.process, Math.max(durationMs, bench.choose(WARM_UP_MS)), opened);
  return async () => read(await load.run(gateway.process, durationMs, opened));
}
