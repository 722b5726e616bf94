import type { UdpHost } from '../../network/udp-host.ts';
import type { KeptFault, PlannedFault, PlantPart } from '../../world/truth.ts';
import type { Random } from '../../world/random.ts';
import { Health } from '../health.ts';
import { LineLoad } from '../line-load.ts';
import { drawSettings } from './draw-settings.ts';
import { drawUnit } from './draw-unit.ts';
import { followUnit } from './follow-unit.ts';
import { ModbusUdpServer } from './modbus-udp-server.ts';
import type { PartContext } from './part-context.ts';
import { endAll, planFaults } from './plan-faults.ts';
import { recoveryMsOf } from './tcp-part.ts';
import { addressLingerMs, planUnitFaults } from './unit-faults.ts';

const PORT = 502;
const WAY_MS = 50;
const MINUTE_MS = 60_000;
// A service that restarts under a watchdog.
const RUNS_MS = 1000;
const STARTS_MS = 50;

/** Creates units that are reached by datagrams. */
export function createUdpPart(context: PartContext): PlantPart {
  const { time, random, network, name, meanFaultPauseMs } = context;
  const draw = random.branch('settings');
  const settings = drawSettings(draw, [200, 500, 1000]);
  const { responseTimeoutMs, maximumGap } = settings;
  const lineHealth = new Health(time);
  const units = Array.from({ length: context.units }, (_, index) =>
    drawUnit({
      time,
      random: random.branch(`unit${index + 1}`),
      unitId: index + 1,
      number: context.firstNumber + index,
      lineHealth,
      maximumGap,
      answerMs: [2, 12],
      maximumRegisters: draw.pick([125, 64]),
    }),
  );
  const load = new LineLoad({ nowMs: () => time.monotonicMs(), responseTimeoutMs, wayMs: WAY_MS });
  for (const { unitId, conduct } of units) followUnit(load, unitId, conduct);
  const conducts = new Map(units.map(({ unitId, conduct }) => [unitId, conduct]));
  const server = new ModbusUdpServer({ random: random.branch('server'), units: conducts });
  const host = network.addUdpHost(name, PORT, {
    latencyMs: draw.pick([0.3, 1, 8]),
    serve: (request, answer) => server.serve(request, answer),
  });
  return {
    driver: {
      pid: name,
      type: 'modbus',
      transport: 'udp',
      host: name,
      port: PORT,
      ...settings,
      pipelineDepth: draw.pick([1, 4]),
    },
    assets: units.map(({ unitId, points }) => ({ pid: `${name}-u${unitId}`, points })),
    recoveryMs: recoveryMsOf(responseTimeoutMs),
    load,
    askedMs: () => load.newestMs,
    planFaults: (endMs, kept): readonly PlannedFault[] => {
      const faults = random.branch('faults');
      const shared = { random: faults, endMs, responseTimeoutMs, meanPauseMs: meanFaultPauseMs, kept };
      const lingerMs = addressLingerMs(units[0]?.points.length ?? 1, responseTimeoutMs);
      return [
        ...units.flatMap((unit) =>
          planUnitFaults({
            ...shared,
            hasTransactions: true,
            unit,
            name: `${name}.unit${unit.unitId}`,
            canDouble: true,
            isBehindGateway: false,
            onReboot: () => undefined,
          }),
        ),
        ...planWayFaults({ ...shared, time, host, health: lineHealth, name, lingerMs }),
      ];
    },
  };
}

interface WayFaultOptions {
  readonly host: UdpHost;
  readonly time: PartContext['time'];
  readonly health: Health;
  readonly name: string;
  readonly random: Random;
  readonly endMs: number;
  readonly responseTimeoutMs: number;
  readonly lingerMs: number;
  readonly meanPauseMs: number;
  readonly kept?: readonly KeptFault[] | undefined;
}

function planWayFaults(options: WayFaultOptions): readonly PlannedFault[] {
  const { time, host, health, name, random, endMs, responseTimeoutMs, lingerMs, meanPauseMs, kept } = options;
  const { path } = host;
  const usual = { ...path };
  return planFaults({
    name,
    random: random.branch(name),
    endMs,
    meanPauseMs,
    kept,
    kinds: {
      lossy: {
        weight: 3,
        lastsMs: [5000, 10 * MINUTE_MS],
        draw: (drawn) => {
          const loss = drawn.pick([0.05, 0.3, 0.7]);
          return {
            text: `loses ${loss} of all datagrams`,
            begin: () => {
              path.loss = loss;
              return endAll(() => {
                path.loss = usual.loss;
              }, health.begin(lingerMs));
            },
          };
        },
      },
      disorder: {
        weight: 4,
        lastsMs: [5000, 10 * MINUTE_MS],
        draw: (drawn) => {
          const latestMs = drawn.pick([0.5, 1.5, 20]) * responseTimeoutMs;
          return {
            text: `brings answers twice, and up to ${latestMs} ms late`,
            begin: () => {
              Object.assign(path, { doubling: 0.3, lateness: 0.4, latestMs });
              return endAll(() => {
                Object.assign(path, { doubling: 0, lateness: 0 });
              }, health.begin(lingerMs));
            },
          };
        },
      },
      restarts: {
        weight: 3,
        lastsMs: [5000, 10 * MINUTE_MS],
        draw: () => ({
          text: 'starts its service again and again, and brings answers to earlier requests',
          begin: () => {
            Object.assign(path, { lateness: 0.7, latestMs: 5 * responseTimeoutMs });
            let isOver = false;
            const toggle = (): void => {
              host.isListening = isOver || !host.isListening;
              if (!isOver) time.schedule(host.isListening ? RUNS_MS : STARTS_MS, toggle);
            };
            toggle();
            return endAll(() => {
              isOver = true;
              toggle();
              Object.assign(path, { lateness: 0 });
            }, health.begin(lingerMs));
          },
        }),
      },
      cable: {
        weight: 2,
        lastsMs: [500, 5 * MINUTE_MS],
        draw: () => ({
          text: 'is cut off',
          begin: () => {
            path.isInterrupted = true;
            return endAll(() => {
              path.isInterrupted = false;
            }, health.begin(lingerMs));
          },
        }),
      },
      refused: {
        weight: 2,
        lastsMs: [1000, 5 * MINUTE_MS],
        draw: () => ({
          text: 'has closed its port',
          begin: () => {
            host.isListening = false;
            return endAll(() => {
              host.isListening = true;
            }, health.begin());
          },
        }),
      },
    },
  });
}
