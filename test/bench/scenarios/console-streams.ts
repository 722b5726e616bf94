import { setTimeout } from 'node:timers/promises';

import type { Bench } from '../bench.ts';
import { HALL_CHANNELS, ROOM_CHANNELS, startConsolePlant } from '../console-plant.ts';
import { READS } from '../measured.ts';
import { formatGet, httpsPort } from '../plant.ts';
import { cpuMicrosecondsBetween, pin, readCpuTime } from '../process-usage.ts';
import { startRemote } from '../remote.ts';
import type { Remote } from '../remote.ts';
import type { Line, Scenario } from '../scenario.ts';
import type { StreamClients, StreamCount } from '../stream-clients-process.ts';
import { median } from '../statistics.ts';

const CONSOLES = 20;
// Until snapshots are sent, and reads have found their pace.
const SETTLE_MS = 3000;

/**
 * What many open consoles cost the gateway beyond one. Each is a client that asks for the stream as the table of an asset
 * does, and takes what comes; browsers would take the processor themselves.
 */
export const consoleStreams: Scenario = {
  name: 'console-streams',
  measures: [...READS, 'daemon/server/event'],
  async run(bench) {
    const { gateway, session } = await startConsolePlant(bench);
    const clients = await startRemote(bench, 'stream-clients-process.ts');
    pin(clients.pid, 'client');
    const pid = gateway.process.pid ?? 0;
    const port = httpsPort(gateway);
    const open = (asset: string, count: number): Promise<void> => {
      const path = `/services/assets/_listen?assets=${asset}&minimumIntervalMs=1000`;
      const request = formatGet(path, { ...session, Accept: 'text/event-stream' });
      return clients.call('open', { port, request, count } satisfies StreamClients);
    };
    const lines: Line[] = [];
    for (const [asset, channels] of [
      ['room', ROOM_CHANNELS],
      ['hall', HALL_CHANNELS],
    ] as const) {
      const added: number[] = [];
      const alone: number[] = [];
      for (let round = 0; round < bench.choose({ full: 5, quick: 2 }); round += 1) {
        await open(asset, 1);
        const one = await measure(bench, clients, { pid, streams: 1 });
        await open(asset, CONSOLES - 1);
        const many = await measure(bench, clients, { pid, streams: CONSOLES });
        await clients.call('close');
        alone.push(one);
        added.push(many - one);
      }
      lines.push({
        name: `${CONSOLES} consoles, ${channels} channels that change every second: processor beyond one`,
        value: `${median(added).toFixed(1)} %`,
        floor: `${median(alone).toFixed(1)} %`,
        rounds: added,
        unit: '% of a core',
        gate: { atMost: 5 },
      });
    }
    return lines;
  },
};

/** @returns processor time of the gateway, in percent of a core */
async function measure(
  bench: Bench,
  clients: Remote,
  { pid, streams }: { readonly pid: number; readonly streams: number },
): Promise<number> {
  await setTimeout(SETTLE_MS);
  await clients.call<StreamCount>('count');
  const before = readCpuTime(pid);
  const start = performance.now();
  await setTimeout(bench.choose({ full: 10_000, quick: 5000 }));
  const cpuUs = cpuMicrosecondsBetween(before, readCpuTime(pid));
  const seconds = (performance.now() - start) / 1000;
  const { changes, gaps } = await clients.call<StreamCount>('count');
  bench.tally.requests += changes;
  bench.tally.failures += gaps;
  // Clients that fall behind get less, and would make the gateway look better than it is. Of each stream, one change may have
  // come right before the time that counts.
  const expected = streams * (seconds - 1);
  if (changes < 0.9 * expected) bench.tally.failures += Math.round(expected - changes);
  return cpuUs / seconds / 10_000;
}
