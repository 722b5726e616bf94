import type { Clock } from '../../../../daemon/base/clock.ts';
import type { SimulatedNetwork } from '../../network/simulated-network.ts';
import type { Random } from '../../world/random.ts';
import type { CarriedOutWrite, PlantPart, Point, RestValue } from '../../world/truth.ts';
import { STEADY_TEMPO } from '../../world/tempo.ts';
import type { Tempo } from '../../world/tempo.ts';
import { LineLoad } from '../line-load.ts';
import { HeldTrack, MovingTrack } from '../value-track.ts';
import { Instrument } from './instrument.ts';
import type { HeldValue } from './instrument.ts';
import { BINARY_FRAMING_NAMES, createBinaryProtocol, createTextProtocol } from './instrument-protocol.ts';
import type { InstrumentProtocol } from './instrument-protocol.ts';
import { planSerialFaults } from './serial-faults.ts';

export interface SerialPartOptions {
  readonly time: Clock;
  /** The branch of this part. */
  readonly random: Random;
  readonly network: SimulatedNetwork;
  /** Of the driver, unique in the world. */
  readonly pid: string;
  /** Number of its first point; the part takes the `SERIAL_POINTS` from there on. */
  readonly firstPoint: number;
  /** Mean time between two faults of one kind, in milliseconds. */
  readonly meanFaultMs?: number;
  readonly tempo?: Tempo;
}

/** Most points of one part. */
export const SERIAL_POINTS = 10;

const USUAL_FAULT_MS = 2 * 3_600_000;
const LONGEST_PAUSE_MS = 1920;
const OPENING_MS = 1100;
// The time in which the gateway waits for silence where the line is never silent, and the request under way before.
const TIMEOUTS = 4;
// A request, its echo and its answer.
const LONGEST_FRAME = 90;

/** Creates a serial line with one instrument. */
export function createSerialPart(options: SerialPartOptions): PlantPart {
  const { time, random, network, pid, meanFaultMs = USUAL_FAULT_MS, tempo = STEADY_TEMPO } = options;
  const drawn = random.branch('instrument');
  const protocol = drawProtocol(drawn);
  const responseTimeoutMs = drawn.pick([600, 1000, 1500]);
  const baudRate = drawn.pick([2400, 9600, 19_200]);
  const device = `/dev/serial/by-id/${pid}`;
  const settings = { baudRate, dataBits: 8, stopBits: 1, parity: 'none' } as const;
  const bus = network.addLine(device, {
    settings,
    damage: protocol.damage,
    cutProbability: 0.2,
    silentCharacters: 0,
    isDuplex: true,
  });
  const values = createValues(protocol, options);
  const nowMs = (): number => time.monotonicMs();
  const load = new LineLoad({ nowMs, responseTimeoutMs, wayMs: LONGEST_FRAME * bus.characterMs });
  const instrument = new Instrument({
    bus,
    time,
    random: random.branch('traffic'),
    protocol,
    values,
    responseTimeoutMs,
    load,
    hasEcho: 'delimiter' in (protocol.settings['framing'] as object) && drawn.chance(0.4),
    tempo,
  });
  const delayBetweenRequestsMs = drawn.pick([0, 0, 20]);
  return {
    driver: {
      pid,
      type: 'serial',
      device,
      ...settings,
      ...protocol.settings,
      responseTimeoutMs,
      delayBetweenRequestsMs,
    },
    assets: [
      { pid: `${pid}-1`, points: values.map((held) => toPoint(held, { protocol, instrument, time })) },
    ],
    planFaults: (endMs, kept) =>
      planSerialFaults({ name: pid, instrument, bus }, random.branch('faults'), {
        endMs,
        meanMs: meanFaultMs,
        kept,
      }),
    askedMs: () => instrument.askedMs,
    line: load,
    recoveryMs: TIMEOUTS * responseTimeoutMs + LONGEST_PAUSE_MS + OPENING_MS,
  };
}

function drawProtocol(random: Random): InstrumentProtocol {
  if (random.chance(0.5)) return createTextProtocol(random.pick(['\r\n', '\r', '\x03']));
  return createBinaryProtocol(random.pick(BINARY_FRAMING_NAMES));
}

function createValues(
  { values }: InstrumentProtocol,
  { random, firstPoint }: SerialPartOptions,
): readonly HeldValue[] {
  return values.map((value, index) => {
    const { make } = value.kind;
    const point = firstPoint + index;
    let count = 0;
    const next = (): RestValue => {
      count += 1;
      return make(point, count);
    };
    const stepMs = random.branch(`value ${index}`).integer(100, 5000);
    const isHeld = value.code !== 'W';
    const track = isHeld ? new HeldTrack(next()) : new MovingTrack((step) => make(point, step), stepMs);
    return { value, track, next, writes: new Array<CarriedOutWrite>() };
  });
}

function toPoint(
  { value, track, writes, next }: HeldValue,
  {
    protocol,
    instrument,
    time,
  }: { readonly protocol: InstrumentProtocol; readonly instrument: Instrument; readonly time: Clock },
): Point {
  const isWritable = value.code === 'S';
  return {
    channel: {
      name: `${value.code}${value.index}`,
      type: isWritable ? 'READ_WRITE' : 'READ',
      valueType: value.kind.valueType,
      address: protocol.describe(value),
    },
    had: (asked, fromMs, toMs) => track.had(asked, fromMs, toMs),
    describeNow: () => String(track.at(time.monotonicMs())),
    writes,
    ...(isWritable ? { nextValue: next } : {}),
    healthySinceMs: () => {
      const [sinceMs, reportsMs] = [instrument.health.sinceMs, instrument.reportsSinceMs];
      if (value.code !== 'E') return sinceMs;
      return sinceMs === undefined || reportsMs === undefined ? undefined : Math.max(sinceMs, reportsMs);
    },
  };
}
