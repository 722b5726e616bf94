import type { DeviceEnd, DeviceEvents } from '../../network/tcp-connection.ts';
import type { PlannedFault, PlantPart } from '../../world/truth.ts';
import { LineLoad } from '../line-load.ts';
import { drawSettings } from './draw-settings.ts';
import { drawUnit } from './draw-unit.ts';
import type { DrawnUnit } from './draw-unit.ts';
import { followUnit } from './follow-unit.ts';
import { Health } from '../health.ts';
import type { PartContext } from './part-context.ts';
import { ModbusTcpServer } from './modbus-tcp-server.ts';
import { RtuOverTcpServer } from './rtu-over-tcp-server.ts';
import { planTcpFaults } from './tcp-faults.ts';
import { addressLingerMs, planUnitFaults } from './unit-faults.ts';

const PORT = 502;
// docs/reference/modbus.md: a suspended unit is probed every 4 s, a slow one after 4 of its time-outs, every second time with another
// request; a lost connection is opened again with the next read, after up to 1.6 s.
const PROBE_PAUSE_MS = 4000;
const SLOW_PROBE_FACTOR = 4;
const RECONNECT_MS = 5000;
// Both directions of the slowest way, and the connection that may have to be opened before.
const WAY_MS = 50;

/**
 * Creates a connection over TCP: of a gateway with several units, or of a controller that is one.
 *
 * A unit that is silent is no fault of its connection: others that share it are slower, and go on.
 */
export function createTcpPart(
  context: PartContext,
  isGateway: boolean,
  transport: 'tcp' | 'rtu-over-tcp' = 'tcp',
): PlantPart {
  const { time, random, network, name, meanFaultPauseMs } = context;
  const draw = random.branch('settings');
  const hasTransactions = transport === 'tcp';
  const settings = drawSettings(draw, hasTransactions ? [200, 500, 1000, 2000] : [300, 600, 1000]);
  const { responseTimeoutMs, maximumGap } = settings;
  const lineHealth = new Health(time);
  const maximumRegisters = draw.pick([125, 125, 32, 16]);
  const units = Array.from({ length: context.units }, (_, index) =>
    drawUnit({
      time,
      random: random.branch(`unit${index + 1}`),
      unitId: index + 1,
      number: context.firstNumber + index,
      lineHealth,
      maximumGap,
      answerMs: isGateway ? [8, 30] : [1, 5],
      maximumRegisters,
    }),
  );
  const load = new LineLoad({ nowMs: () => time.monotonicMs(), responseTimeoutMs, wayMs: WAY_MS });
  for (const { unitId, conduct } of units) followUnit(load, unitId, conduct);
  const conducts = new Map(units.map(({ unitId, conduct }) => [unitId, conduct]));
  const isSequential = isGateway || draw.chance(0.5);
  // One that ends a connection with an answer drops what else is under way on it, so nobody sends it several requests.
  const closes = draw.pickWeighted({ never: 6, answers: isSequential ? 1 : 0, idle: 1 });
  const server = hasTransactions
    ? new ModbusTcpServer({
        time,
        random: random.branch('server'),
        units: conducts,
        isSequential,
        unknownUnit: draw.pick([10, 11, 'SILENT'] as const),
        ...(closes === 'answers' ? { closesAfterAnswers: draw.pick([1, 10, 100]) } : {}),
        ...(closes === 'idle' ? { closesAfterIdleMs: draw.pick([2000, 30_000]) } : {}),
      })
    : new RtuOverTcpServer({ time, random: random.branch('server'), units: conducts });
  const isSingle = draw.chance(0.4);
  const host = network.addHost(name, PORT, {
    accept: (end: DeviceEnd): DeviceEvents => server.accept(end),
    latencyMs: draw.pick([0.3, 1, 8]),
    bytesPerMs: draw.pick([0, 0, 1250]),
    cutProbability: draw.pick([0, 0.02, 0.3]),
    ...(isSingle ? { maximumConnections: 1, whenFull: 'CLOSE_OLDEST' } : {}),
  });
  const driver = {
    pid: name,
    type: 'modbus',
    transport,
    host: name,
    port: PORT,
    ...settings,
    connectTimeoutMs: draw.pick([500, 1000, 3000]),
    ...(hasTransactions && !isSequential ? { pipelineDepth: draw.pick([1, 4, 16]) } : {}),
    ...(draw.chance(0.2) ? { closeAfterIdleMs: draw.pick([0, 500, 5000]) } : {}),
  };
  return {
    driver,
    assets: units.map(({ unitId, points }) => ({ pid: `${name}-u${unitId}`, points })),
    recoveryMs: recoveryMsOf(responseTimeoutMs),
    ...(units.length > 1 ? { load } : {}),
    askedMs: () => load.newestMs,
    planFaults: (endMs, kept): readonly PlannedFault[] => {
      const faults = random.branch('faults');
      const shared = {
        random: faults,
        endMs,
        responseTimeoutMs,
        hasTransactions,
        meanPauseMs: meanFaultPauseMs,
        kept,
      };
      const planUnit = (unit: DrawnUnit): readonly PlannedFault[] =>
        planUnitFaults({
          ...shared,
          unit,
          name: `${name}.unit${unit.unitId}`,
          canDouble: hasTransactions,
          isBehindGateway: isGateway && hasTransactions,
          onReboot: () => {
            if (isGateway) return;
            host.vanishAll();
          },
        });
      const lingerMs = addressLingerMs(units[0]?.points.length ?? 1, responseTimeoutMs);
      return [
        ...units.flatMap(planUnit),
        ...planTcpFaults({ ...shared, host, health: lineHealth, name, lingerMs }),
      ];
    },
  };
}

/** Returns when values come again after the end of a fault, at the latest; from what docs/reference/modbus.md promises. */
export function recoveryMsOf(responseTimeoutMs: number): number {
  const probeMs = Math.max(PROBE_PAUSE_MS, SLOW_PROBE_FACTOR * responseTimeoutMs) + responseTimeoutMs;
  return 2 * probeMs + RECONNECT_MS;
}
