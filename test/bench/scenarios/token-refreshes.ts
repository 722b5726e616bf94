import { Agent } from 'node:https';

import { send } from '../../support/https-client.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import type { Bench } from '../bench.ts';
import { AUTHENTICATION } from '../measured.ts';
import { httpsPort, openSession, startPlant } from '../plant.ts';
import { cpuMicrosecondsBetween, readCpuTime } from '../process-usage.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { divideRounds, median } from '../statistics.ts';

const LIMITS = { atLeast: 8, atMost: 30 };
const ROOT = '/services/token/jwt/v1';

/** Refreshes of one client, one after the other. */
interface Refreshes {
  readonly p50Us: number;
  readonly cpuUs: number;
}

/** Refreshes whose used tokens are kept on disk, beside those that are forgotten with a restart. */
export const tokenRefreshes: Scenario = {
  name: 'token-refreshes',
  measures: AUTHENTICATION,
  async run(bench) {
    const count = bench.choose({ full: 200, quick: 40 });
    const measurements = {
      memory: await prepare(bench, false, count),
      disk: await prepare(bench, true, count),
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ memory, disk }) => [
      { ...compare(disk, memory, 'p50Us'), name: 'refresh, used tokens on disk: p50 ÷ in memory' },
      {
        ...compare(disk, memory, 'cpuUs'),
        name: 'refresh, used tokens on disk: CPU ÷ in memory',
        isProcessorTime: true,
        gate: { atMost: 2.5 },
        goal: { atMost: 1.8 },
      },
    ]);
  },
};

function compare(
  disk: readonly Refreshes[],
  memory: readonly Refreshes[],
  figure: keyof Refreshes,
): Omit<Line, 'name'> {
  return {
    value: `${median(disk.map((round) => round[figure])).toFixed(0)} µs`,
    floor: `${median(memory.map((round) => round[figure])).toFixed(0)} µs`,
    rounds: divideRounds(
      disk.map((round) => round[figure]),
      memory.map((round) => round[figure]),
    ),
    unit: '×',
  };
}

async function prepare(
  bench: Bench,
  jwtUsedRefreshTokensPersistent: boolean,
  count: number,
): Promise<() => Promise<Refreshes>> {
  const rest = { jwtAuthenticationEnabled: true, jwtUsedRefreshTokensPersistent };
  const gateway = await startPlant(bench, { drivers: [], assets: [], rest });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  bench.after(() => agent.destroy());
  const refresh = await createRefresh(bench, gateway, agent);
  for (let index = 0; index < count; index += 1) await refresh();
  return async () => {
    const times: number[] = [];
    const before = readCpuTime(gateway.process.pid ?? 0);
    for (let index = 0; index < count; index += 1) {
      const start = performance.now();
      await refresh();
      times.push((performance.now() - start) * 1000);
    }
    const cpuUs = cpuMicrosecondsBetween(before, readCpuTime(gateway.process.pid ?? 0)) / count;
    return { p50Us: median(times), cpuUs };
  };
}

/** Returns a function that exchanges the newest refresh token for the next one. */
async function createRefresh(
  { tally }: Bench,
  gateway: RunningGateway,
  agent: Agent,
): Promise<() => Promise<void>> {
  const client = { port: httpsPort(gateway), agent };
  const exchange = async (path: string, headers: Record<string, string>, body?: string): Promise<string> => {
    tally.requests += 1;
    const { status, json } = await send(client, 'POST', `${ROOT}/${path}`, { headers, body });
    if (status === 200) return (json as { readonly refreshToken: string }).refreshToken;
    tally.failures += 1;
    throw new Error(`${path} was answered with ${status}`);
  };
  let token = await exchange('issue', await openSession(gateway));
  return async () => {
    token = await exchange('refresh', { 'Content-Type': 'text/plain' }, token);
  };
}
