import type { RunningGateway } from '../../support/gateway.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import type { Bench } from '../bench.ts';
import { measureBareStart, measureStart } from '../gateway-start.ts';
import type { Start } from '../gateway-start.ts';
import { medianOf, ratiosOf } from '../load.ts';
import type { Load, Measured } from '../load.ts';
import { WHOLE_GATEWAY } from '../measured.ts';
import { formatGet, httpsPort, openSession, readPath, sequence } from '../plant.ts';
import { readResidentMiB } from '../process-usage.ts';
import type { Bound, Line, Measurement, Scenario } from '../scenario.ts';
import { CHANNELS_OF_ASSET, startIn, storePlant } from '../stored-plant.ts';
import { divideRounds, measureInTurn, median, subtractRounds } from '../statistics.ts';

const SMALLEST = 1000;
const LARGEST = 100_000;
const CLIENTS = 100;
const CONNECTIONS = 10;
const SAMPLE_MS = 50;

/** A start beside one of the bare server. */
interface ComparedStart extends Start {
  readonly bareMs: number;
}

interface Plant {
  readonly size: number;
  readonly gateway: RunningGateway;
  /** Starts from the stored configuration. */
  readonly stored: readonly ComparedStart[];
  /** Starts that find the provision files as well; none for the largest plant. */
  readonly provisioned: readonly ComparedStart[];
}

/** Memory, start and cost of a request as the number of configured channels grows. */
export const footprint: Scenario = {
  name: 'footprint',
  measures: WHOLE_GATEWAY,
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const load = await bench.startLoad();
    const sizes = bench.choose({ full: [SMALLEST, 10_000, LARGEST], quick: [SMALLEST, 10_000] });
    const plants: Plant[] = [];
    for (const size of sizes) plants.push(await preparePlant(bench, device, size));
    const [smallest, ...larger] = plants;
    if (smallest === undefined) return [];
    const costs = await measureCosts(bench, load, plants);
    const durationMs = bench.choose({ full: 1500, quick: 600 });
    const measureBusy = await prepareBusyMemory(bench, { gateway: smallest.gateway, load, durationMs });
    const { busyMiB } = await measureInTurn(bench.choose({ full: 6, quick: 3 }), { busyMiB: measureBusy });
    return [
      ...describeSmallest(smallest, busyMiB),
      ...larger.flatMap((plant) => compare(plant, smallest, costs)),
    ];
  },
  async prepare(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const measurements: Measurement[] = [];
    for (const size of bench.choose({ full: [SMALLEST, 10_000], quick: [SMALLEST] })) {
      const { gateway, removeProvision } = await storePlant(bench, device, size);
      await removeProvision();
      measurements.push(async () => {
        const { durationMs, residentMiB } = await measureStart(bench.program, gateway, 'ten');
        return [
          { name: `${size} channels: start`, value: durationMs / 1000, unit: 's', better: 'LESS' },
          { name: `${size} channels: memory, idle`, value: residentMiB, unit: 'MiB', better: 'LESS' },
        ];
      });
    }
    const { directory } = await storePlant(bench, device, SMALLEST);
    const measureBusy = await prepareBusyMemory(bench, {
      gateway: await startIn(bench, directory),
      load: await bench.startLoad(),
      durationMs: bench.choose({ full: 1500, quick: 1000 }),
    });
    const name = `${SMALLEST} channels: memory, ${CLIENTS} clients`;
    measurements.push(async () => [{ name, value: await measureBusy(), unit: 'MiB', better: 'LESS' }]);
    return measurements;
  },
};

async function preparePlant(bench: Bench, device: ModbusProcess, size: number): Promise<Plant> {
  const { directory, gateway: first, removeProvision } = await storePlant(bench, device, size);
  const repetitions = bench.choose({ full: 7, quick: 3 });
  const provisioned = await repeatStart(
    bench,
    first,
    size === SMALLEST ? repetitions : size === LARGEST ? 0 : 1,
  );
  // The plant stays without them.
  await removeProvision();
  const stored = await repeatStart(bench, first, repetitions);
  const running = await startIn(bench, directory);
  return { size, gateway: running, stored, provisioned };
}

async function repeatStart(
  bench: Bench,
  gateway: RunningGateway,
  repetitions: number,
): Promise<readonly ComparedStart[]> {
  const starts: ComparedStart[] = [];
  while (starts.length < repetitions) {
    const start = await measureStart(bench.program, gateway, 'ten');
    starts.push({ ...start, bareMs: await measureBareStart(gateway) });
  }
  return starts;
}

async function measureCosts(
  bench: Bench,
  load: Load,
  plants: readonly Plant[],
): Promise<Readonly<Record<string, readonly Measured[]>>> {
  const durationMs = bench.choose({ full: 200, quick: 200 });
  const prepare = async ({ gateway }: Plant): Promise<() => Promise<Measured>> => {
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [formatGet(readPath('ten'), await openSession(gateway))],
      count: CONNECTIONS,
    });
    await load.run(gateway.process, bench.choose({ full: 2000, quick: 500 }), clients);
    return () => load.run(gateway.process, durationMs, clients);
  };
  const measurements: Record<string, () => Promise<Measured>> = {};
  for (const plant of plants) measurements[String(plant.size)] = await prepare(plant);
  return measureInTurn(bench.choose({ full: 21, quick: 4 }), measurements);
}

/** Returns a function that measures the most memory that a gateway takes while many clients read all its channels. */
async function prepareBusyMemory(
  bench: Bench,
  { gateway, load, durationMs }: { gateway: RunningGateway; load: Load; durationMs: number },
): Promise<() => Promise<number>> {
  const session = await openSession(gateway);
  const clients = await load.open(bench, {
    port: httpsPort(gateway),
    requests: sequence(SMALLEST / CHANNELS_OF_ASSET).map((index) =>
      formatGet(readPath(`asset${index}`), session),
    ),
    count: CLIENTS,
  });
  return async () => {
    let highestMiB = 0;
    const timer = setInterval(() => {
      highestMiB = Math.max(highestMiB, readResidentMiB(gateway.process.pid ?? 0));
    }, SAMPLE_MS);
    await load.run(gateway.process, durationMs, clients);
    clearInterval(timer);
    return highestMiB;
  };
}

function describeSmallest({ stored, provisioned }: Plant, busyMiB: readonly number[]): readonly Line[] {
  const line = (name: string, rounds: readonly number[], bounds: [number, number]): Line => ({
    row: 15,
    name: `${SMALLEST} channels: ${name}`,
    value: `${median(rounds).toFixed(0)} MiB`,
    rounds,
    isUntimed: true,
    unit: 'MiB',
    gate: { atMost: bounds[0] },
    goal: { atMost: bounds[1] },
  });
  return [
    line('resident memory, idle', memoryOf(stored), [85, 65]),
    line('resident memory, idle, provision files present', memoryOf(provisioned), [85, 65]),
    line(`resident memory, ${CLIENTS} clients`, busyMiB, [165, 110]),
    ...[
      { name: 'start to first right answer', starts: stored, gate: 4, goal: 2 },
      {
        name: 'start to first right answer, provision files present',
        starts: provisioned,
        gate: 6,
        goal: 2.5,
      },
    ].map(({ name, starts, gate, goal }) => ({
      row: 16,
      name: `${SMALLEST} channels: ${name} ÷ that of the bare server`,
      value: `${median(secondsOf(starts)).toFixed(2)} s`,
      floor: `${median(starts.map(({ bareMs }) => bareMs / 1000)).toFixed(2)} s`,
      rounds: starts.map(({ durationMs, bareMs }) => durationMs / bareMs),
      unit: '×',
      gate: { atMost: gate },
      goal: { atMost: goal },
    })),
  ];
}

function compare(
  { size, stored, provisioned }: Plant,
  smallest: Plant,
  costs: Readonly<Record<string, readonly Measured[]>>,
): readonly Line[] {
  const [own, floor] = [costs[String(size)] ?? [], costs[String(SMALLEST)] ?? []];
  const name = `${size} channels ÷ ${SMALLEST}`;
  const cpu = {
    row: 17,
    name: `${name}: CPU per GET of 10 channels`,
    value: `${medianOf(own, 'cpuUsPerRequest').toFixed(1)} µs`,
    floor: `${medianOf(floor, 'cpuUsPerRequest').toFixed(1)} µs`,
    rounds: ratiosOf(own, floor, 'cpuUsPerRequest'),
    unit: '×',
    gate: { atMost: 1.05 },
    goal: { atMost: 1.02 },
  };
  // Requests go to the largest plant.
  const isJudged = size === LARGEST;
  const more =
    provisioned.length === 0
      ? []
      : compareStarts(`${name}, provision files present`, provisioned, smallest.provisioned, false);
  return [cpu, ...compareStarts(name, stored, smallest.stored, isJudged), ...more];
}

function compareStarts(
  name: string,
  starts: readonly ComparedStart[],
  floor: readonly ComparedStart[],
  isJudged: boolean,
): readonly Line[] {
  const bounds = (gate: number, goal: number): { gate?: Bound; goal?: Bound } =>
    isJudged ? { gate: { atMost: gate }, goal: { atMost: goal } } : {};
  return [
    {
      row: 17,
      name: `${name}: added memory`,
      value: `${median(memoryOf(starts)).toFixed(0)} MiB`,
      floor: `${median(memoryOf(floor)).toFixed(0)} MiB`,
      rounds: subtractRounds(memoryOf(starts), memoryOf(floor)),
      isUntimed: true,
      unit: 'MiB',
      ...bounds(80, 40),
    },
    {
      row: 17,
      name: `${name}: start`,
      value: `${median(secondsOf(starts)).toFixed(2)} s`,
      floor: `${median(secondsOf(floor)).toFixed(2)} s`,
      rounds: divideRounds(secondsOf(starts), secondsOf(floor)),
      unit: '×',
      ...bounds(2, 1.4),
    },
  ];
}

function memoryOf(starts: readonly ComparedStart[]): readonly number[] {
  return starts.map(({ residentMiB }) => residentMiB);
}

function secondsOf(starts: readonly ComparedStart[]): readonly number[] {
  return starts.map(({ durationMs }) => durationMs / 1000);
}
