import { connectRepeatedly } from '../../network/device-ports.ts';
import type { DeviceDialler } from '../../network/device-ports.ts';
import type { DeviceEnd, DeviceEvents } from '../../network/tcp-connection.ts';
import type { PathConditions } from '../../network/byte-pipe.ts';
import type { PlannedFault, PlantPart } from '../../world/truth.ts';
import { Health } from '../health.ts';
import { LineLoad } from '../line-load.ts';
import { drawSettings } from './draw-settings.ts';
import { drawUnit } from './draw-unit.ts';
import { followUnit } from './follow-unit.ts';
import { ModbusTcpServer } from './modbus-tcp-server.ts';
import type { PartContext } from './part-context.ts';
import { endAll, planFaults } from './plan-faults.ts';
import { RtuOverTcpServer } from './rtu-over-tcp-server.ts';
import { recoveryMsOf } from './tcp-part.ts';
import { planUnitFaults } from './unit-faults.ts';

const PORT = 5020;
const WAY_MS = 50;
const MINUTE_MS = 60_000;
// A modem tries again after this time; docs/reference/modbus.md: its connection is used from the next read on.
const REDIAL_MS = 3000;

/** Creates a unit behind a modem that connects to the gateway; all modems use one port. */
export function createModemPart(context: PartContext): PlantPart {
  const { time, random, network, name, meanFaultPauseMs } = context;
  const draw = random.branch('settings');
  const settings = drawSettings(draw, [500, 1000]);
  const { responseTimeoutMs, maximumGap } = settings;
  const lineHealth = new Health(time);
  const unit = drawUnit({
    time,
    random: random.branch('unit1'),
    unitId: 1,
    number: context.firstNumber,
    lineHealth,
    maximumGap,
    answerMs: [8, 60],
    maximumRegisters: draw.pick([125, 32]),
  });
  const load = new LineLoad({ nowMs: () => time.monotonicMs(), responseTimeoutMs, wayMs: WAY_MS });
  followUnit(load, unit.unitId, unit.conduct);
  const units = new Map([[unit.unitId, unit.conduct]]);
  const framing = draw.pick(['RTU', 'MBAP'] as const);
  const server =
    framing === 'RTU'
      ? new RtuOverTcpServer({ time, random: random.branch('server'), units })
      : new ModbusTcpServer({
          time,
          random: random.branch('server'),
          units,
          isSequential: true,
          unknownUnit: 'SILENT',
        });
  // As the beginning of the packet of another modem, and as a register may hold it.
  const packet = Buffer.from(`m${context.firstNumber}`, 'latin1');
  const beats = draw.chance(0.6);
  const path: PathConditions = {
    latencyMs: draw.pick([1, 8, 40]),
    bytesPerMs: 0,
    cutProbability: draw.pick([0, 0.3]),
    isInterrupted: false,
  };
  const beatMs = draw.pick([2000, 15_000]) * context.beatStretch;
  const accept = (end: DeviceEnd): DeviceEvents => {
    // As soon as the connection is there.
    time.schedule(0, () => end.send(packet));
    const beat = (): void => {
      if (!end.isOpen) return;
      end.send(packet);
      time.schedule(beatMs, beat);
    };
    if (beats) time.schedule(beatMs, beat);
    return server.accept(end);
  };
  const dialler = connectRepeatedly({
    network,
    time,
    port: PORT,
    pauseMs: REDIAL_MS,
    call: { address: name, path, accept },
  });
  return {
    driver: {
      pid: name,
      type: 'modbus',
      transport: 'tcp-listen',
      listenPort: PORT,
      identify: { [beats ? 'heartbeat' : 'registration']: packet.toString('latin1') },
      framing,
      ...settings,
      connectTimeoutMs: 5000,
    },
    assets: [{ pid: `${name}-u1`, points: unit.points }],
    recoveryMs: recoveryMsOf(responseTimeoutMs) + REDIAL_MS,
    load,
    askedMs: () => load.newestMs,
    planFaults: (endMs, kept): readonly PlannedFault[] => {
      const faults = random.branch('faults');
      const shared = { random: faults, endMs, responseTimeoutMs, meanPauseMs: meanFaultPauseMs, kept };
      return [
        ...planUnitFaults({
          ...shared,
          hasTransactions: framing === 'MBAP',
          unit,
          name: `${name}.unit1`,
          canDouble: framing === 'MBAP',
          isBehindGateway: false,
          onReboot: () => dialler.vanish(),
        }),
        ...planModemFaults({ ...shared, dialler, path, health: lineHealth, name }),
      ];
    },
  };
}

interface ModemFaultOptions extends Pick<
  Parameters<typeof planFaults>[0],
  'random' | 'endMs' | 'meanPauseMs' | 'kept' | 'name'
> {
  readonly dialler: DeviceDialler;
  readonly path: PathConditions;
  readonly health: Health;
}

function planModemFaults(options: ModemFaultOptions): readonly PlannedFault[] {
  const { dialler, path, health, name, random, endMs, meanPauseMs, kept } = options;
  const moment = (text: string, act: () => void) => ({
    weight: 3,
    lastsMs: [1, 2] as const,
    draw: () => ({
      text,
      begin: () => {
        act();
        return health.begin();
      },
    }),
  });
  return planFaults({
    name,
    random: random.branch(name),
    endMs,
    meanPauseMs,
    kept,
    kinds: {
      reset: moment('resets its connection', () => dialler.reset()),
      again: moment('connects again without closing its connection', () => dialler.connectAgain()),
      unknown: moment('is called by a device that sends another packet', () =>
        dialler.callWith(Buffer.from('m', 'latin1')),
      ),
      away: {
        weight: 2,
        lastsMs: [1000, 5 * MINUTE_MS],
        draw: () => ({
          text: 'is without power',
          begin: () => {
            dialler.isAway = true;
            dialler.vanish();
            return endAll(() => {
              dialler.isAway = false;
            }, health.begin());
          },
        }),
      },
      pieces: {
        weight: 2,
        lastsMs: [5000, 10 * MINUTE_MS],
        draw: () => ({
          text: 'sends in pieces',
          begin: () => {
            const before = path.cutProbability;
            path.cutProbability = 0.9;
            return () => {
              path.cutProbability = before;
            };
          },
        }),
      },
    },
  });
}
