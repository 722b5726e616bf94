import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { SessionClient } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import type { TcpCable } from '../../support/tcp-cable.ts';
import { READS } from '../measured.ts';
import {
  createChannels,
  createDriver,
  httpsPort,
  OPERATOR,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import { readResidentMiB } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';

const LINES = 20;
const PAUSE_MS = 20;

/** Links that break again and again, and those that stay open while nothing passes. */
export const linkLoss: Scenario = {
  name: 'link-loss',
  measures: READS,
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const cables = await Promise.all(sequence(LINES).map(() => layTcpCable(device.port)));
    for (const cable of cables) bench.after(() => cable.pull());
    const gateway = await startPlant(bench, {
      drivers: cables.map(({ port }, index) =>
        createDriver(`line${index}`, port, { responseTimeoutMs: 300 }),
      ),
      assets: cables.map((_cable, index) => ({
        pid: `asset${index}`,
        driver: `line${index}`,
        channels: createChannels(sequence(10)),
      })),
    });
    const client = new SessionClient({ port: httpsPort(gateway) });
    await client.login(OPERATOR.name, OPERATOR.password);
    const pid = gateway.process.pid ?? 0;
    const breakAll = (rounds: number): Promise<readonly (readonly number[])[]> =>
      Promise.all(
        cables.map((cable, index) => breakLine(cable, () => isRead(client, `asset${index}`), rounds)),
      );
    await breakAll(2);
    const descriptorsBefore = countDescriptors(pid);
    const memoryBefore = readResidentMiB(pid);
    const rounds = bench.choose({ full: 50, quick: 5 });
    const recoveries = await breakAll(rounds);
    const worst = recoveries.map(
      (times) =>
        quantile(
          times.toSorted((a, b) => a - b),
          0.99,
        ) / 1000,
    );
    const descriptors = countDescriptors(pid);
    const memory = readResidentMiB(pid);
    const losses = `${recoveries.flat().length} resets and half-open links`;
    const isSameProcess = gateway.process.exitCode === null ? 0 : 1;
    return [
      {
        row: 21,
        name: `${losses}: first right value after the link is whole, p99 of a line`,
        value: `${median(worst).toFixed(2)} s`,
        rounds: worst,
        unit: 's',
        gate: { atMost: 2 },
        goal: { atMost: 1 },
      },
      {
        name: `${losses}: descriptors more than before`,
        value: String(descriptors),
        floor: String(descriptorsBefore),
        rounds: [descriptors - descriptorsBefore],
        isUntimed: true,
        unit: '',
        gate: { atMost: 5 },
        goal: { atMost: 0 },
      },
      {
        name: `${losses}: memory more than before`,
        value: `${memory.toFixed(0)} MiB`,
        floor: `${memoryBefore.toFixed(0)} MiB`,
        rounds: [memory - memoryBefore],
        isUntimed: true,
        unit: 'MiB',
        gate: { atMost: 30 },
        goal: { atMost: 10 },
      },
      {
        name: `${losses}: ends of the gateway`,
        value: String(isSameProcess),
        rounds: [isSameProcess],
        isUntimed: true,
        unit: '',
        gate: { atMost: 0 },
      },
    ];
  },
};

/**
 * Breaks a line by turns in two ways, and waits each time until values come again.
 *
 * @returns milliseconds from the moment when it is whole to the first right value
 */
async function breakLine(
  cable: TcpCable,
  isUp: () => Promise<boolean>,
  rounds: number,
): Promise<readonly number[]> {
  const recoveries: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) await cable.pull();
    else cable.hold();
    while (await isUp()) await setTimeout(PAUSE_MS);
    if (round % 2 === 0) await cable.mend();
    else cable.release();
    const start = performance.now();
    while (!(await isUp())) await setTimeout(PAUSE_MS);
    recoveries.push(performance.now() - start);
  }
  return recoveries;
}

async function isRead(client: SessionClient, pid: string): Promise<boolean> {
  const { text } = await client.send('GET', readPath(pid));
  return !text.includes('FAILURE');
}

function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
