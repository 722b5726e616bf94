import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { send } from '../../support/https-client.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { storeAuditEvents } from '../audit-events.ts';
import type { AdministratorOptions } from '../administrator-process.ts';
import type { Bench } from '../bench.ts';
import { WHOLE_GATEWAY } from '../measured.ts';
import { longestOf, p99Of, PauseWatch } from '../pause-watch.ts';
import {
  createChannels,
  createDriver,
  createPlant,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
} from '../plant.ts';
import { pinMainThread } from '../process-usage.ts';
import { startProgram } from '../program.ts';
import { recordSeconds } from '../recorded-plant.ts';
import type { RecordedTime } from '../recorded-plant.ts';
import { startRemote } from '../remote.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const CHANNELS_OF_ASSET = 100;
const ITEMS_OF_FILE = 50;
const FOLDER = 'provision.d';
const SHORT_PAUSE_MS = 40;
const PARTS = 9;
const ADMINISTRATOR = { name: 'chief', permissions: ['rest.admin'], password: 'correct-horse-10' };

/** What one operation costs others: in each round the longest time that one of them waited. */
interface Pause {
  readonly operation: string;
  readonly rounds: readonly number[];
}

/** How long any one request makes the other clients of a large plant wait. */
export const longestPause: Scenario = {
  name: 'longest-pause',
  measures: WHOLE_GATEWAY,
  async run(bench) {
    const size = bench.choose({ full: 1000, quick: 200 });
    const events = bench.choose({ full: 1_000_000, quick: 20_000 });
    const rounds = bench.choose({ full: 5, quick: 3 });
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    // A scan takes turns with the reads of its device.
    const scanned = await startLibmodbusServer();
    bench.after(() => scanned.close());
    const seconds = bench.choose({ full: 86_400, quick: 3600 });
    const recordedFromMs = Math.floor(Date.now() / 1000 - seconds - 3600) * 1000;
    const recorded = { beginMs: recordedFromMs, seconds, channels: 10 };
    const gateway = await startLargePlant(bench, device, { size, events, recorded });
    const plant = {
      devicePort: scanned.port,
      recordedFromMs,
      recordedUntilMs: recordedFromMs + seconds * 1000,
    };
    const packageMegabytes = bench.choose({ full: 50, quick: 10 });
    const administrator = await startRemote(bench, 'administrator-process.ts', { isInBackground: true });
    const { name, password } = ADMINISTRATOR;
    const operations = await administrator.call<readonly string[]>('open', {
      port: httpsPort(gateway),
      name,
      password,
      plant,
      packageMegabytes,
    } satisfies AdministratorOptions);
    const request = formatGet(readPath('ten'), await openSession(gateway));
    const watch = await PauseWatch.open(bench, { port: httpsPort(gateway), request });
    // The start of a large plant leaves code to compile and memory to return.
    await wait(bench.choose({ full: 15_000, quick: 5000 }));
    const alone = await watch.during(() => wait(bench.choose({ full: 2000, quick: 1000 })));
    const others: number[] = [];
    const pauses: Pause[] = [];
    for (const [index, operation] of operations.entries()) {
      const longest: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const latencies = await watch.during(() => administrator.call('perform', index));
        longest.push(longestOf(latencies));
        others.push(...latencies);
        // Only the longest pause counts: what is far below it takes two rounds.
        if (round === 1 && Math.max(...longest) < SHORT_PAUSE_MS) break;
      }
      pauses.push({ operation, rounds: longest });
    }
    const reloads: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await writeAssets(gateway.directory, 0, `round ${round}`);
      reloads.push(longestOf(await watch.during(() => reload(gateway))));
    }
    pauses.push({ operation: `reload of ${ITEMS_OF_FILE} changed assets`, rounds: reloads });
    const collections: number[] = [];
    const metricsPort = gateway.lines.find(({ event }) => event === 'metrics.listening')?.['port'];
    for (let round = 0; round < rounds; round += 1) {
      collections.push(longestOf(await watch.during(() => collectMetrics(Number(metricsPort)))));
    }
    pauses.push({ operation: 'GET /metrics', rounds: collections });
    const p99 = p99Of(others.toSorted((left, right) => left - right));
    return [
      describeLongest(
        `${size} drivers, ${size * CHANNELS_OF_ASSET} channels, ${size * 10} identities, ${events} audit events`,
        pauses,
        longestOf(alone),
      ),
      {
        row: 36,
        name: 'paced reads at the same time: p99 ÷ alone',
        value: `${p99.toFixed(1)} ms`,
        floor: `${p99Of(alone).toFixed(1)} ms`,
        rounds: p99sOfParts(others).map((each) => each / p99Of(alone)),
        unit: '×',
        gate: { atMost: 3 },
        goal: { atMost: 1.5 },
      },
    ];
  },
};

function describeLongest(plant: string, pauses: readonly Pause[], aloneMs: number): Line {
  const [longest = { operation: 'none', rounds: [] }] = pauses.toSorted(
    (left, right) => median(right.rounds) - median(left.rounds),
  );
  return {
    row: 36,
    name: `${plant}: longest pause by one of ${pauses.length} operations, \`${longest.operation}\``,
    value: `${median(longest.rounds).toFixed(0)} ms`,
    floor: `${aloneMs.toFixed(0)} ms`,
    rounds: longest.rounds,
    unit: 'ms',
    gate: { atMost: 100 },
    goal: { atMost: 50 },
  };
}

interface PlantSize {
  /** Number of connections and of assets; there are ten times as many identities. */
  readonly size: number;
  /** Number of stored audit events. */
  readonly events: number;
  /** What is recorded of the asset `ten`. */
  readonly recorded: RecordedTime;
}

async function startLargePlant(
  bench: Bench,
  device: ModbusProcess,
  { size, events, recorded }: PlantSize,
): Promise<RunningGateway> {
  const directory = createTemporaryDirectory(bench);
  await mkdir(path.join(directory, FOLDER));
  const drivers = sequence(size).map((index) =>
    createDriver(`line${index}`, device.port, index === 0 ? {} : { closeAfterIdleMs: 1000 }),
  );
  const ten = { pid: 'ten', driver: 'line0', channels: createChannels(sequence(10)) };
  const grantees = sequence(10 * size).map((index) => ({
    name: `user${index}`,
    permissions: [],
    grants: [{ assets: [`asset${index % size}`], operations: ['READ'] }],
  }));
  const plant = createPlant({ drivers, assets: [ten], identities: [ADMINISTRATOR, ...grantees] });
  await writeProvision(directory, 'plant', plant);
  for (let first = 0; first < size; first += ITEMS_OF_FILE) await writeAssets(directory, first);
  const config = { audit: { maximumEvents: 1_000_000 }, metrics: { port: 0 } };
  const first = await startProgram(bench, { directory, config });
  await first.stop();
  await storeAuditEvents(first.dataDirectory, { count: events });
  await recordSeconds(bench, path.join(first.dataDirectory, 'recording'), recorded);
  const gateway = await startProgram(bench, { directory, config });
  pinMainThread(gateway.process.pid ?? 0);
  return gateway;
}

/** Writes the file of some assets, from the one with this number on. */
async function writeAssets(directory: string, first: number, description = 'at the start'): Promise<void> {
  const assets = sequence(ITEMS_OF_FILE, first).map((index) => ({
    pid: `asset${index}`,
    driver: `line${index}`,
    description,
    channels: createChannels(sequence(CHANNELS_OF_ASSET, (index % 500) * CHANNELS_OF_ASSET)),
  }));
  await writeProvision(directory, `assets${String(first).padStart(4, '0')}`, { assets });
}

function writeProvision(directory: string, name: string, document: object): Promise<void> {
  return writeFile(path.join(directory, FOLDER, `${name}.yaml`), JSON.stringify(document));
}

async function collectMetrics(port: number): Promise<void> {
  const { status, text } = await send({ port, plain: true }, 'GET', '/metrics');
  if (status !== 200) throw new Error(`the metrics were answered with ${status}: ${text}`);
}

async function reload(gateway: RunningGateway): Promise<void> {
  const seen = gateway.lines.length;
  gateway.process.kill('SIGHUP');
  const { event, ...fields } = await Promise.race([
    gateway.line('reloaded', seen),
    gateway.line('reload.failed', seen),
  ]);
  if (event !== 'reloaded') throw new Error(`the reload failed: ${JSON.stringify(fields)}`);
}

/** Returns the p99 of each of several parts of the latencies, in the order of the operations. */
function p99sOfParts(latencies: readonly number[]): readonly number[] {
  const size = Math.ceil(latencies.length / PARTS);
  return sequence(PARTS).map((part) =>
    p99Of(latencies.slice(part * size, (part + 1) * size).toSorted((left, right) => left - right)),
  );
}
