import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { RunningGateway } from '../../support/gateway.ts';
import { SessionClient } from '../../support/https-client.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { startDevice } from '../device.ts';
import { measureStart } from '../gateway-start.ts';
import { CONFIGURATION, READS } from '../measured.ts';
import {
  createChannels,
  createDriver,
  createPlant,
  formatGet,
  httpsPort,
  OPERATOR,
  openSession,
  readPath,
  sequence,
} from '../plant.ts';
import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../process-usage.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { startIn } from '../stored-plant.ts';

const CHANNELS = 100;
const DEVICES_OF_FILE = 50;
const RATES = [10_000, 50_000] as const;
const READERS = 250;
const WATCH_INTERVAL_MS = 20;
const CONFIGURATION_PATH = '/services/configuration/v1';
const ADMINISTRATOR = { ...OPERATOR, permissions: ['rest.admin'] };

/** What an administrator does to a large plant, one after the other. */
const DUTIES = [
  {
    name: 'a page of the list of assets',
    work: (client: SessionClient) => client.send('GET', '/services/assets?limit=100'),
  },
  {
    name: 'the list of drivers',
    work: (client: SessionClient) => client.send('GET', '/services/drivers/v1'),
  },
  {
    name: 'the settings of one driver',
    work: (client: SessionClient) => client.send('GET', `${CONFIGURATION_PATH}/drivers/line5`),
  },
  { name: 'a change of one driver', work: changeDriver },
] as const;

/** One process that serves many devices, each with a connection and an asset of its own. */
export const manyDevices: Scenario = {
  name: 'many-devices',
  measures: [...READS, ...CONFIGURATION],
  async run(bench) {
    const count = bench.choose({ full: 1000, quick: 100 });
    const device = await startDevice(bench, { answerDelayMs: 0, silentUnits: [], host: '0.0.0.0' });
    const directory = createTemporaryDirectory(bench);
    await writePlant(directory, device.port, count);
    const stored = await startIn(bench, directory);
    await stored.stop();
    // The gateway stays with its stored configuration.
    await rm(path.join(directory, 'provision.d'), { recursive: true });
    const starts = [];
    for (let turn = 0; turn < bench.choose({ full: 3, quick: 1 }); turn += 1)
      starts.push(await measureStart(bench.program, stored, 'asset0'));
    const gateway = await startIn(bench, directory);
    const name = `${count} devices, ${count * CHANNELS} channels`;
    return [
      describe(
        `${name}: start to first right answer`,
        starts.map(({ durationMs }) => durationMs / 1000),
        's',
      ),
      describe(
        `${name}: resident memory, idle`,
        starts.map(({ residentMiB }) => residentMiB),
        'MiB',
      ),
      ...(await measureDuties(bench, gateway, name)),
      ...(await measureRates(bench, gateway, { name, count })),
    ];
  },
};

async function writePlant(directory: string, port: number, count: number): Promise<void> {
  const folder = path.join(directory, 'provision.d');
  await mkdir(folder);
  const write = (name: string, document: object): Promise<void> =>
    writeFile(path.join(folder, `${name}.yaml`), JSON.stringify(document));
  const { identities: _, ...plant } = createPlant({ drivers: [], assets: [] }) as Record<string, unknown>;
  await write('plant', { ...plant, identities: [ADMINISTRATOR] });
  for (let first = 0; first < count; first += DEVICES_OF_FILE) {
    const numbers = sequence(Math.min(DEVICES_OF_FILE, count - first), first);
    const drivers = numbers.map((number) =>
      createDriver(`line${number}`, port, { host: `127.1.${number >> 8}.${number & 255}` }),
    );
    const assets = numbers.map((number) => ({
      pid: `asset${number}`,
      driver: `line${number}`,
      channels: createChannels(sequence(CHANNELS)),
    }));
    await write(`devices${first}`, { drivers, assets });
  }
}

/** Measures each duty, and how long another client waits meanwhile. */
async function measureDuties(bench: Bench, gateway: RunningGateway, name: string): Promise<readonly Line[]> {
  const client = new SessionClient({ port: httpsPort(gateway) });
  const other = new SessionClient({ port: httpsPort(gateway) });
  for (const each of [client, other]) await each.login(OPERATOR.name, OPERATOR.password);
  const lines: Line[] = [];
  for (const { name: duty, work } of DUTIES) {
    const [milliseconds, waits]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < bench.choose({ full: 5, quick: 2 }); turn += 1) {
      const watch = watchWaits(other);
      const before = readCpuTime(gateway.process.pid ?? 0);
      const { status, text } = await work(client);
      if (status !== 200) throw new Error(`${duty}: ${status} ${text.slice(0, 200)}`);
      milliseconds.push(cpuMicrosecondsBetween(before, readCpuTime(gateway.process.pid ?? 0)) / 1000);
      waits.push(await watch());
    }
    lines.push(
      describe(`${name}: ${duty}, processor time`, milliseconds, 'ms'),
      describe(`${name}: ${duty}, longest wait of another client`, waits, 'ms'),
    );
  }
  return lines;
}

async function changeDriver(client: SessionClient): ReturnType<SessionClient['send']> {
  const place = `${CONFIGURATION_PATH}/drivers/line5`;
  const { json } = await client.send('GET', place);
  const settings = json as { readonly responseTimeoutMs?: number };
  const body = { ...settings, responseTimeoutMs: (settings.responseTimeoutMs ?? 1000) + 1 };
  return client.send('PUT', place, { body, headers: { 'If-Match': '*' } });
}

/** Sends small requests; the function that it returns ends that, and returns the longest wait in milliseconds. */
function watchWaits(client: SessionClient): () => Promise<number> {
  const ended = new AbortController();
  let longestMs = 0;
  const watching = (async () => {
    while (!ended.signal.aborted) {
      const start = performance.now();
      await client.send('GET', '/services/status/v1');
      longestMs = Math.max(longestMs, performance.now() - start);
      await pause(WATCH_INTERVAL_MS);
    }
  })();
  return async () => {
    ended.abort();
    await watching;
    return longestMs;
  };
}

async function measureRates(
  bench: Bench,
  gateway: RunningGateway,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<readonly Line[]> {
  const session = await openSession(gateway);
  const load = await bench.startLoad();
  const readers = Math.min(READERS, count);
  const lines: Line[] = [];
  for (const tagsPerSecond of RATES) {
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: sequence(count).map((number) => formatGet(readPath(`asset${number}`), session)),
      count: readers,
      intervalMs: (readers * CHANNELS * 1000) / tagsPerSecond,
    });
    await load.run(gateway.process, bench.choose({ full: 5000, quick: 1500 }), clients);
    const before = readCpuTime(gateway.process.pid ?? 0);
    const { requests, seconds } = await load.run(
      gateway.process,
      bench.choose({ full: 12_000, quick: 3000 }),
      clients,
    );
    const cores = cpuMicrosecondsBetween(before, readCpuTime(gateway.process.pid ?? 0)) / (seconds * 1e6);
    lines.push(
      describe(
        `${name}: ${tagsPerSecond} tags in a second: tags that came`,
        [(requests * CHANNELS) / seconds],
        '/s',
      ),
      describe(`${name}: ${tagsPerSecond} tags in a second: processor time`, [cores * 100], '% of a core'),
    );
  }
  const residentMiB = readResidentMiB(gateway.process.pid ?? 0);
  return [...lines, describe(`${name}: resident memory after that`, [residentMiB], 'MiB')];
}

function describe(name: string, rounds: readonly number[], unit: string): Line {
  const value = median(rounds);
  return { name, value: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`, rounds, unit };
}
