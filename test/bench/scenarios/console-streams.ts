import { setTimeout } from 'node:timers/promises';

import type { Bench } from '../bench.ts';
import { HALL_CHANNELS, ROOM_CHANNELS, startConsolePlant } from '../console-plant.ts';
import type { ConsolePlant } from '../console-plant.ts';
import { READS } from '../measured.ts';
import { formatGet, httpsPort } from '../plant.ts';
import { measureShares, pin } from '../process-usage.ts';
import { startRemote } from '../remote.ts';
import type { Remote } from '../remote.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import type { StreamClients, StreamCount } from '../stream-clients-process.ts';
import { median, subtractRounds } from '../statistics.ts';

const LIMITS = { atLeast: 8, atMost: 16 };
const CONSOLES = 20;
// Until snapshots are sent, and reads have found their pace.
const SETTLE_MS = 3000;
/** Then the gateways change places, as one process is a little faster than the next for as long as it lives. */
const ROUNDS_OF_PLACE = 4;

/**
 * What many open consoles cost the gateway beyond one, by two gateways at the same time. Each console is a client that opens the
 * stream as the table of an asset does, and takes what comes; browsers would take the processor themselves.
 */
export const consoleStreams: Scenario = {
  name: 'console-streams',
  measures: [...READS, 'daemon/server/event'],
  async run(bench) {
    const plants = [await startConsolePlant(bench), await startConsolePlant(bench)];
    const clients = await startRemote(bench, 'stream-clients-process.ts');
    pin(clients.pid, 'client');
    const lines: Line[] = [];
    for (const [asset, channels] of [
      ['room', ROOM_CHANNELS],
      ['hall', HALL_CHANNELS],
    ] as const) {
      let rounds = 0;
      let placed: readonly ConsolePlant[] = [];
      const measurements = {
        async shares() {
          if (rounds % ROUNDS_OF_PLACE === 0) {
            placed = rounds % (2 * ROUNDS_OF_PLACE) === 0 ? plants : plants.toReversed();
            await openStreams(clients, placed, asset);
          }
          rounds += 1;
          return measure(bench, clients, placed);
        },
      };
      const found = await measureUntilDecided(bench, LIMITS, measurements, ({ shares }) => {
        const [one = [], many = []] = [0, 1].map((at) => shares.map((each) => each[at] ?? Number.NaN));
        const added = subtractRounds(many, one);
        return [
          {
            name: `${CONSOLES} consoles, ${channels} channels that change every second: processor beyond one`,
            value: `${median(added).toFixed(1)} %`,
            floor: `${median(one).toFixed(1)} %`,
            rounds: added,
            isProcessorTime: true,
            unit: '% of a core',
            gate: { atMost: 5 },
          },
        ];
      });
      lines.push(...found);
      await clients.call('close');
    }
    return lines;
  },
};

/** Closes all streams, opens one at the first gateway and those of many consoles at the second, and waits for their snapshots. */
async function openStreams(clients: Remote, plants: readonly ConsolePlant[], asset: string): Promise<void> {
  await clients.call('close');
  for (const [index, { gateway, session }] of plants.entries()) {
    const path = `/services/assets/_listen?assets=${asset}&minimumIntervalMs=1000`;
    const request = formatGet(path, { ...session, Accept: 'text/event-stream' });
    const count = index === 0 ? 1 : CONSOLES;
    await clients.call('open', { port: httpsPort(gateway), request, count } satisfies StreamClients);
  }
  await setTimeout(SETTLE_MS);
}

/** Returns the processor time of each gateway, in percent of a core. */
async function measure(
  bench: Bench,
  clients: Remote,
  plants: readonly ConsolePlant[],
): Promise<readonly number[]> {
  await clients.call<StreamCount>('count');
  const start = performance.now();
  const processes = plants.map(({ gateway }) => gateway.process.pid ?? 0);
  const shares = await measureShares(processes, bench.choose({ full: 5000, quick: 4000 }));
  const seconds = (performance.now() - start) / 1000;
  const { changes, gaps } = await clients.call<StreamCount>('count');
  bench.tally.requests += changes;
  bench.tally.failures += gaps;
  // Clients that fall behind get less, and would make the gateway look better than it is. Of each stream, one change may have
  // come right before the time that counts.
  const expected = (1 + CONSOLES) * (seconds - 1);
  if (changes < 0.9 * expected) bench.tally.failures += Math.round(expected - changes);
  return shares;
}
