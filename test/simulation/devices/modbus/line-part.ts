import type { PlannedFault, PlantPart } from '../../world/truth.ts';
import { LineLoad } from '../line-load.ts';
import { drawSettings } from './draw-settings.ts';
import { drawUnit } from './draw-unit.ts';
import { followUnit } from './follow-unit.ts';
import { Health } from '../health.ts';
import { planLineFaults } from './line-faults.ts';
import type { PartContext } from './part-context.ts';
import { asciiMode, rtuMode, SerialStations } from './serial-stations.ts';
import { recoveryMsOf } from './tcp-part.ts';
import { addressLingerMs, planUnitFaults } from './unit-faults.ts';

// Of either mode, with the silence before it.
const LONGEST_FRAME = 530;
// Probes of all units of a line may wait for one another.
const LINE_FACTOR = 2;

/** Creates a serial line with its units; as with TCP a silent unit is no fault of the line. */
export function createLinePart(context: PartContext, transport: 'rtu' | 'ascii'): PlantPart {
  const { time, random, network, name, meanFaultPauseMs } = context;
  const draw = random.branch('settings');
  const mode = transport === 'rtu' ? rtuMode : asciiMode;
  const settings = drawSettings(draw, [200, 300, 600]);
  const { responseTimeoutMs, maximumGap } = settings;
  const parity = draw.pick(['even', 'none', 'odd'] as const);
  const line = {
    baudRate: draw.pick([9600, 19_200, 38_400, 115_200]),
    parity,
    dataBits: transport === 'rtu' ? 8 : 7,
    stopBits: parity === 'none' ? 2 : 1,
  } as const;
  const device = `/dev/serial/by-id/usb-${name}`;
  const hasEcho = draw.chance(0.2);
  const bus = network.addLine(device, {
    settings: line,
    damage: mode.damage,
    silentCharacters: mode.silentCharacters,
    cutProbability: draw.pick([0, 0.02, 0.3]),
    hasEcho,
  });
  const lineHealth = new Health(time);
  const units = Array.from({ length: context.units }, (_, index) =>
    drawUnit({
      time,
      random: random.branch(`unit${index + 1}`),
      unitId: index + 1,
      number: context.firstNumber + index,
      lineHealth,
      maximumGap,
      answerMs: [2, 25],
      maximumRegisters: draw.pick([125, 125, 32, 16]),
    }),
  );
  const load = new LineLoad({
    nowMs: () => time.monotonicMs(),
    responseTimeoutMs,
    wayMs: 2 * LONGEST_FRAME * bus.characterMs,
  });
  for (const { unitId, conduct } of units) followUnit(load, unitId, conduct);
  const conducts = new Map(units.map(({ unitId, conduct }) => [unitId, conduct]));
  bus.attach(new SerialStations({ bus, random: random.branch('stations'), mode, units: conducts }));
  return {
    driver: { pid: name, type: 'modbus', transport, device, ...line, ...settings, echo: hasEcho },
    assets: units.map(({ unitId, points }) => ({ pid: `${name}-u${unitId}`, points })),
    recoveryMs: LINE_FACTOR * recoveryMsOf(responseTimeoutMs),
    ...(units.length > 1 ? { load } : {}),
    askedMs: () => load.newestMs,
    planFaults: (endMs, kept): readonly PlannedFault[] => {
      const shared = { random: random.branch('faults'), endMs, meanPauseMs: meanFaultPauseMs, kept };
      const lingerMs = addressLingerMs(units[0]?.points.length ?? 1, responseTimeoutMs);
      return [
        ...units.flatMap((unit) =>
          planUnitFaults({
            ...shared,
            unit,
            name: `${name}.unit${unit.unitId}`,
            responseTimeoutMs,
            hasTransactions: false,
            canDouble: true,
            lineHealth,
            isBehindGateway: false,
            onReboot: () => undefined,
          }),
        ),
        ...planLineFaults({ ...shared, time, bus, mode, health: lineHealth, name, lingerMs }),
      ];
    },
  };
}
