import type { RunningGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { startDevice } from '../device.ts';
import type { Bench } from '../bench.ts';
import type { Load, Measured, OpenedClients } from '../load.ts';
import { medianOf, ratiosOf } from '../load.ts';
import { READS } from '../measured.ts';
import {
  createChannels,
  createDriver,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';

const LIMITS = { atLeast: 8, atMost: 14 };
const UNITS = 10;
const DEAD_UNIT = 10;
const ANSWER_DELAY_MS = 2;
const READ_INTERVAL_MS = 50;
const DEAD_INTERVAL_MS = 100;
const SUSPENDED_WITHIN_MS = 8000;

/** Ten units behind one connection, all alive on one line, one of them silent on the other. */
export const deadUnit: Scenario = {
  name: 'dead-unit',
  measures: READS,
  async run(bench) {
    const { gateway, load, partly, aliveLine, partlyLine, durationMs } = await startUnits(bench);
    const shares: number[] = [];
    const measurements = {
      alive: () => load.run(gateway.process, durationMs / 2, aliveLine[0], [aliveLine[1]]),
      partly: async () => {
        await partly.count();
        const result = await load.run(gateway.process, durationMs, partlyLine[0], [partlyLine[1]]);
        shares.push((await partly.count()).blockedMs / (result.seconds * 1000));
        return result;
      },
    };
    return measureUntilDecided(bench, LIMITS, measurements, (results) => compare(results, shares));
  },
  async prepare(bench) {
    const { gateway, load, partlyLine, durationMs } = await startUnits(bench);
    const [others, dead] = partlyLine;
    return [
      async () => {
        const { p50Us, p99Us } = await load.run(gateway.process, durationMs, others, [dead]);
        const name = 'one of ten units dead';
        return [
          { name: `${name}: p50 of the others`, value: p50Us / 1000, unit: 'ms', better: 'LESS' },
          { name: `${name}: p99 of the others`, value: p99Us / 1000, unit: 'ms', better: 'LESS' },
        ];
      },
    ];
  },
};

/** Clients of the living units of a line, and that of the last one. */
type LineClients = readonly [others: OpenedClients, last: OpenedClients];

interface Units {
  readonly gateway: RunningGateway;
  readonly load: Load;
  /** The device with the silent unit. */
  readonly partly: Awaited<ReturnType<typeof startDevice>>;
  readonly aliveLine: LineClients;
  readonly partlyLine: LineClients;
  readonly durationMs: number;
}

/** Starts both lines, and waits until the silent unit is suspended. */
async function startUnits(bench: Bench): Promise<Units> {
  const alive = await startDevice(bench, { answerDelayMs: ANSWER_DELAY_MS, silentUnits: [] });
  const partly = await startDevice(bench, { answerDelayMs: ANSWER_DELAY_MS, silentUnits: [DEAD_UNIT] });
  const unitIds = sequence(UNITS, 1);
  const gateway = await startPlant(bench, {
    drivers: [createDriver('alive', alive.port), createDriver('partly', partly.port)],
    assets: ['alive', 'partly'].flatMap((driver) =>
      unitIds.map((unitId) => ({
        pid: `${driver}${unitId}`,
        driver,
        channels: createChannels(sequence(10), unitId),
      })),
    ),
  });
  const session = await openSession(gateway);
  const load = await bench.startLoad();
  const line = async (driver: string): Promise<LineClients> => {
    const common = { port: httpsPort(gateway), expectsFailures: driver === 'partly' };
    const requests = unitIds.map((unitId) => formatGet(readPath(`${driver}${unitId}`), session));
    return [
      await load.open(bench, {
        ...common,
        expectsFailures: false,
        requests,
        count: UNITS - 1,
        intervalMs: READ_INTERVAL_MS,
      }),
      await load.open(bench, {
        ...common,
        requests: requests.slice(-1),
        count: 1,
        intervalMs: DEAD_INTERVAL_MS,
      }),
    ];
  };
  const aliveLine = await line('alive');
  const partlyLine = await line('partly');
  await waitUntilSuspended(gateway, load, partlyLine, session);
  const durationMs = bench.choose({ full: 4000, quick: 1600 });
  return { gateway, load, partly, aliveLine, partlyLine, durationMs };
}

async function waitUntilSuspended(
  gateway: RunningGateway,
  load: Load,
  [others, dead]: LineClients,
  headers: Record<string, string>,
): Promise<void> {
  const deadline = performance.now() + SUSPENDED_WITHIN_MS;
  while (performance.now() < deadline) {
    await load.run(gateway.process, 250, others, [dead]);
    const path = `/services/assets/partly${DEAD_UNIT}/_status`;
    const { text } = await send({ port: httpsPort(gateway) }, 'GET', path, { headers });
    if (text.includes('SUSPENDED')) return;
  }
  throw new Error(`unit ${DEAD_UNIT} was not suspended within ${SUSPENDED_WITHIN_MS} ms`);
}

function compare(
  { alive, partly }: Readonly<Record<'alive' | 'partly', readonly Measured[]>>,
  shares: readonly number[],
): readonly Line[] {
  // The unit is asked now and then, and not in every round; how long it blocks the line then is a setting.
  const percent = (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
  return [
    {
      row: 8,
      name: 'one of ten units dead: share of the line',
      value: `${percent.toFixed(2)} %`,
      rounds: [percent],
      isUntimed: true,
      unit: '%',
      gate: { atMost: 2 },
      goal: { atMost: 0.5 },
    },
    {
      row: 8,
      name: 'one of ten units dead: p99 of the others ÷ all alive',
      value: `${(medianOf(partly, 'p99Us') / 1000).toFixed(1)} ms`,
      floor: `${(medianOf(alive, 'p99Us') / 1000).toFixed(1)} ms`,
      rounds: ratiosOf(partly, alive, 'p99Us'),
      unit: '×',
      gate: { atMost: 1.3 },
      goal: { atMost: 1.1 },
    },
  ];
}
