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
import { measureUntilDecided } from '../rounds.ts';
import type { Bound, Line, Measurement, Scenario } from '../scenario.ts';
import { CHANNELS_OF_ASSET, startIn, storePlant } from '../stored-plant.ts';
import { divideRounds, leastOfGroups, measureInTurn, median, subtractRounds } from '../statistics.ts';

const START_LIMITS = { atLeast: 8, atMost: 16 };
const SET_LIMITS = { atLeast: 6, atMost: 9 };
const LEAST_OF = 2;
const SMALLEST = 1000;
const LARGEST = 100_000;
const CLIENTS = 100;
const CONNECTIONS = 10;
const SAMPLE_MS = 50;

/** A start beside one of the bare server. */
interface ComparedStart extends Start {
  readonly bareMs: number;
}

/** A plant whose gateway was started and stopped. */
interface Plant {
  readonly size: number;
  readonly directory: string;
  readonly gateway: RunningGateway;
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
    const [smallest] = plants;
    if (smallest === undefined) return [];
    const starts = await measureStarts(bench, plants);
    const costs = await measureCosts(bench, load, plants);
    const durationMs = bench.choose({ full: 1500, quick: 600 });
    const gateway = await startIn(bench, smallest.directory);
    const measureBusy = await prepareBusyMemory(bench, { gateway, load, durationMs });
    const { busyMiB } = await measureInTurn(bench.choose({ full: 4, quick: 3 }), { busyMiB: measureBusy });
    return [...starts, ...costs, describeMemory(`resident memory, ${CLIENTS} clients`, busyMiB, [165, 110])];
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
  const { directory, gateway, removeProvision } = await storePlant(bench, device, size);
  const repetitions = bench.choose({ full: 7, quick: 3 });
  const provisioned = await repeatStart(
    bench,
    gateway,
    size === SMALLEST ? repetitions : size === LARGEST ? 0 : 1,
  );
  // The plant stays without them.
  await removeProvision();
  return { size, directory, gateway, provisioned };
}

/** Starts all plants in turn from the stored configuration. */
function measureStarts(bench: Bench, plants: readonly Plant[]): Promise<readonly Line[]> {
  const measurements = Object.fromEntries(
    plants.map(({ size, gateway }) => [String(size), () => startCompared(bench, gateway)]),
  );
  const [smallest, ...larger] = plants;
  return measureUntilDecided(bench, START_LIMITS, measurements, (starts) => {
    const ofSmallest = starts[String(SMALLEST)] ?? [];
    return [
      ...describeSmallest(ofSmallest, smallest?.provisioned ?? []),
      ...larger.flatMap((plant) => compareWithSmallest(plant, starts[String(plant.size)] ?? [], ofSmallest)),
      ...larger.flatMap(({ size, provisioned }) =>
        provisioned.length === 0
          ? []
          : compareStarts(
              `${size} channels ÷ ${SMALLEST}, provision files present`,
              provisioned,
              smallest?.provisioned ?? [],
              false,
            ),
      ),
    ];
  });
}

async function repeatStart(
  bench: Bench,
  gateway: RunningGateway,
  repetitions: number,
): Promise<readonly ComparedStart[]> {
  const starts: ComparedStart[] = [];
  while (starts.length < repetitions) starts.push(await startCompared(bench, gateway));
  return starts;
}

async function startCompared(bench: Bench, gateway: RunningGateway): Promise<ComparedStart> {
  const start = await measureStart(bench.program, gateway, 'ten');
  return { ...start, bareMs: await measureBareStart(gateway) };
}

/** Compares the cost of a request in sets of new gateways, as one process is a little faster than the next for as long as it lives. */
function measureCosts(bench: Bench, load: Load, plants: readonly Plant[]): Promise<readonly Line[]> {
  const measurements = { costs: () => measureSet(bench, load, plants) };
  return measureUntilDecided(bench, SET_LIMITS, measurements, ({ costs }) => {
    const costsOf = (size: number): readonly number[] =>
      costs.map((set) => set.get(size)?.cost ?? Number.NaN);
    const floor = costsOf(SMALLEST);
    return plants.slice(1).map(({ size }) => ({
      row: 17,
      name: `${size} channels ÷ ${SMALLEST}: CPU per GET of 10 channels`,
      value: `${median(costsOf(size)).toFixed(1)} µs`,
      floor: `${median(floor).toFixed(1)} µs`,
      rounds: costs.map((set) => set.get(size)?.ratio ?? Number.NaN),
      isProcessorTime: true,
      unit: '×',
      gate: { atMost: 1.05 },
      goal: { atMost: 1.02 },
    }));
  });
}

/** Cost of a request in one process. */
interface Cost {
  /** Microseconds of processor time. */
  readonly cost: number;
  /** Compared with the smallest plant of the same set. */
  readonly ratio: number;
}

/** Starts a gateway for each plant, measures them in turn, and stops them. */
async function measureSet(
  bench: Bench,
  load: Load,
  plants: readonly Plant[],
): Promise<ReadonlyMap<number, Cost>> {
  const durationMs = 160;
  const gateways: RunningGateway[] = [];
  const measurements: Record<string, () => Promise<Measured>> = {};
  for (const { size, directory } of plants) {
    const gateway = await startIn(bench, directory);
    gateways.push(gateway);
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [formatGet(readPath('ten'), await openSession(gateway))],
      count: CONNECTIONS,
    });
    await load.run(gateway.process, bench.choose({ full: 2000, quick: 500 }), clients);
    measurements[String(size)] = () => load.run(gateway.process, durationMs, clients);
  }
  const rounds = await measureInTurn(bench.choose({ full: 7, quick: 3 }), measurements);
  for (const gateway of gateways) await gateway.stop();
  const floor = rounds[String(SMALLEST)] ?? [];
  return new Map(
    plants.map(({ size }) => {
      const own = rounds[String(size)] ?? [];
      const ratio = median(ratiosOf(own, floor, 'cpuUsPerRequest'));
      return [size, { cost: medianOf(own, 'cpuUsPerRequest'), ratio }];
    }),
  );
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

function describeMemory(name: string, rounds: readonly number[], bounds: readonly [number, number]): Line {
  return {
    row: 15,
    name: `${SMALLEST} channels: ${name}`,
    value: `${median(rounds).toFixed(0)} MiB`,
    rounds,
    isUntimed: true,
    unit: 'MiB',
    gate: { atMost: bounds[0] },
    goal: { atMost: bounds[1] },
  };
}

function describeSmallest(
  stored: readonly ComparedStart[],
  provisioned: readonly ComparedStart[],
): readonly Line[] {
  return [
    describeMemory('resident memory, idle', memoryOf(stored), [85, 65]),
    describeMemory('resident memory, idle, provision files present', memoryOf(provisioned), [85, 65]),
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

function compareWithSmallest(
  { size }: Plant,
  stored: readonly ComparedStart[],
  smallest: readonly ComparedStart[],
): readonly Line[] {
  // Requests go to the largest plant.
  return compareStarts(`${size} channels ÷ ${SMALLEST}`, stored, smallest, size === LARGEST);
}

function compareStarts(
  name: string,
  starts: readonly ComparedStart[],
  floor: readonly ComparedStart[],
  isJudged: boolean,
): readonly Line[] {
  // Other programs can only make a start longer; a plant that is not judged may have a single start.
  const size = isJudged ? LEAST_OF : 1;
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
      name: `${name}: start${isJudged ? `, least of ${LEAST_OF} each` : ''}`,
      value: `${median(secondsOf(starts)).toFixed(2)} s`,
      floor: `${median(secondsOf(floor)).toFixed(2)} s`,
      rounds: divideRounds(leastOfGroups(secondsOf(starts), size), leastOfGroups(secondsOf(floor), size)),
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
