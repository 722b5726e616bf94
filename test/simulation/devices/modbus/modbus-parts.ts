import type { Clock } from '../../../../daemon/base/clock.ts';
import type { SimulatedNetwork } from '../../network/simulated-network.ts';
import type { Random } from '../../world/random.ts';
import type { PlantPart } from '../../world/truth.ts';
import { createLinePart } from './line-part.ts';
import type { PartContext } from './part-context.ts';
import { createModemPart } from './modem-part.ts';
import { createTcpPart } from './tcp-part.ts';
import { createUdpPart } from './udp-part.ts';

export interface ModbusPartsOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  readonly network: SimulatedNetwork;
  /** Units of each connection; those of the standard plant unless given. */
  readonly units?: Readonly<Partial<Record<ModbusConnection, number>>>;
  /** Milliseconds from one fault of a thing to the next, on average; an hour for each unless given. */
  readonly meanFaultPauseMs?: number;
  /** Factor for the interval at which devices send without a request; default 1. */
  readonly beatStretch?: number;
}

/** A gateway over TCP with units behind it, a controller, a line in RTU mode, one in ASCII mode or over TCP, units over UDP, and two modems. */
export type ModbusConnection = 'gateway' | 'controller' | 'rtu' | 'second' | 'udp' | 'modem1' | 'modem2';

const UNITS = { gateway: 9, controller: 1, rtu: 14, second: 6, udp: 2, modem1: 1, modem2: 1 } as const;
const CONNECTIONS = ['gateway', 'controller', 'rtu', 'second', 'udp', 'modem1', 'modem2'] as const;
const HOUR_MS = 3_600_000;
// Numbers of units below 256, so that each of these connections may have this many.
const NUMBERS_OF_A_CONNECTION = 60;

// The connections behind the first four have few units: their numbers end at 255.
const NUMBERS_OF_UDP = 12;

function firstNumberOf(index: number): number {
  const afterUdp = index - 5;
  if (afterUdp >= 0) return 1 + 4 * NUMBERS_OF_A_CONNECTION + NUMBERS_OF_UDP + afterUdp;
  return 1 + index * NUMBERS_OF_A_CONNECTION;
}

/** Creates the Modbus connections of a plant; one without units is left out. */
export function createModbusParts(options: ModbusPartsOptions): readonly PlantPart[] {
  const { time, random, network, units, meanFaultPauseMs = HOUR_MS, beatStretch = 1 } = options;
  return CONNECTIONS.flatMap((name, index) => {
    const count = units?.[name] ?? UNITS[name];
    if (count === 0) return [];
    const context: PartContext = {
      time,
      random: random.branch(name),
      network,
      name: `modbus-${name}`,
      units: Math.min(count, name === 'udp' ? NUMBERS_OF_UDP : NUMBERS_OF_A_CONNECTION),
      firstNumber: firstNumberOf(index),
      meanFaultPauseMs,
      beatStretch,
    };
    if (name === 'gateway' || name === 'controller') return [createTcpPart(context, name === 'gateway')];
    if (name === 'udp') return [createUdpPart(context)];
    if (name === 'modem1' || name === 'modem2') return [createModemPart(context)];
    const mode = name === 'rtu' ? 'rtu' : context.random.pick(['ascii', 'rtu-over-tcp'] as const);
    return [
      mode === 'rtu-over-tcp' ? createTcpPart(context, true, 'rtu-over-tcp') : createLinePart(context, mode),
    ];
  });
}
