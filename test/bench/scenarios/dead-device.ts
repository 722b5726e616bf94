import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { startDevice } from '../device.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import type { Bench } from '../bench.ts';
import { figuresOf, medianOf, ratiosOf } from '../load.ts';
import type { Load, Measured, OpenedClients } from '../load.ts';
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
import type { Scenario } from '../scenario.ts';
import { divideRounds, leastOfGroups } from '../statistics.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 12, atMost: 42 };
const LEAST_OF = 3;
const DEAD_INTERVAL_MS = 250;
// Nothing listens there.
const CLOSED_PORT = 1;

/** A healthy asset while others poll a device that accepts connections and is silent, and one that refuses them. */
export const deadDevice: Scenario = {
  name: 'dead-device',
  measures: READS,
  async run(bench) {
    const { gateway, load, healthy, dead, durationMs } = await startLines(bench);
    const measurements = {
      alone: () => load.run(gateway.process, durationMs, healthy),
      beside: () => load.run(gateway.process, durationMs, healthy, [dead]),
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ alone, beside }) => [
      {
        row: 7,
        name: 'two dead devices beside: rate ÷ alone',
        value: `${medianOf(beside, 'perSecond').toFixed(0)}/s`,
        floor: `${medianOf(alone, 'perSecond').toFixed(0)}/s`,
        rounds: ratiosOf(beside, alone, 'perSecond'),
        unit: '×',
        gate: { atLeast: 0.95 },
        goal: { atLeast: 0.98 },
      },
      {
        row: 7,
        name: `two dead devices beside: p99 ÷ alone, least of ${LEAST_OF} rounds each`,
        value: `${(medianOf(beside, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(alone, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: divideRounds(leastP99s(beside), leastP99s(alone)),
        unit: '×',
        gate: { atMost: 1.2 },
        goal: { atMost: 1.05 },
      },
    ]);
  },
  async prepare(bench) {
    const { gateway, load, healthy, dead, durationMs } = await startLines(bench);
    return [
      async () => {
        const { requests, seconds, p99Us } = await load.run(gateway.process, durationMs, healthy, [dead]);
        const name = 'two dead devices as neighbours';
        return [
          { name: `${name}: rate`, value: requests / seconds, unit: '/s', better: 'MORE' },
          { name: `${name}: p99`, value: p99Us / 1000, unit: 'ms', better: 'LESS' },
        ];
      },
    ];
  },
};

/** Garbage collection and other programs lengthen the p99 of some rounds; dead devices are polled in each of them. */
function leastP99s(rounds: readonly Measured[]): readonly number[] {
  return leastOfGroups(figuresOf(rounds, 'p99Us'), LEAST_OF);
}

/** Clients of a healthy asset, and those of the dead ones. */
interface Lines {
  readonly gateway: RunningGateway;
  readonly load: Load;
  readonly healthy: OpenedClients;
  readonly dead: OpenedClients;
  readonly durationMs: number;
}

async function startLines(bench: Bench): Promise<Lines> {
  const device = await startLibmodbusServer();
  bench.after(() => device.close());
  const silent = await startDevice(bench, { answerDelayMs: 0, silentUnits: 'ALL' });
  const channels = createChannels(sequence(10));
  const gateway = await startPlant(bench, {
    drivers: [
      createDriver('line', device.port),
      createDriver('silentLine', silent.port),
      createDriver('closedLine', CLOSED_PORT),
    ],
    assets: [
      { pid: 'healthy', driver: 'line', channels },
      { pid: 'silent', driver: 'silentLine', channels },
      { pid: 'refusing', driver: 'closedLine', channels },
    ],
  });
  const session = await openSession(gateway);
  const load = await bench.startLoad();
  const open = (pids: readonly string[], more: { intervalMs?: number; expectsFailures?: boolean } = {}) =>
    load.open(bench, {
      port: httpsPort(gateway),
      requests: pids.map((pid) => formatGet(readPath(pid), session)),
      count: CONNECTIONS,
      ...more,
    });
  const healthy = await open(['healthy']);
  const dead = await open(['silent', 'refusing'], { intervalMs: DEAD_INTERVAL_MS, expectsFailures: true });
  await load.run(gateway.process, bench.choose({ full: 2000, quick: 400 }), healthy);
  return { gateway, load, healthy, dead, durationMs: bench.choose({ full: 400, quick: 400 }) };
}
