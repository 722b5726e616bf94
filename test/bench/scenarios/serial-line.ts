import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import type { Bench } from '../bench.ts';
import type { Clients } from '../load-process.ts';
import type { Load, Measured } from '../load.ts';
import { figuresOf, medianOf } from '../load.ts';
import { READS } from '../measured.ts';
import { prepareLoad } from '../prepared.ts';
import {
  createChannels,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const LIMITS = { atLeast: 6, atMost: 14 };
// A start bit, eight data bits and two stop bits.
const BITS_OF_CHARACTER = 11;
const REQUEST_CHARACTERS = 8;
const ANSWER_OVERHEAD_CHARACTERS = 5;
const MAXIMUM_REGISTERS = 125;

const LINES = [
  { baudRate: 9600, sizes: [10, 100], gate: 1.05, goal: 1.02 },
  { baudRate: 19_200, sizes: [10, 100], gate: 1.05, goal: 1.02 },
  { baudRate: 115_200, sizes: [10, 100, 1000], gate: 1.15, goal: 1.05 },
] as const;
// A line that is read without pause carries as much as it can, with any number of channels.
const FULL_LINE = { baudRate: 115_200, channels: 100 };

/** The fastest line: the time on the wire hides least of the rest. */
const COMPARED_LINE = LINES[2];

/** One client that reads a unit in RTU mode, beside the time that the characters and silences take. */
export const serialLine: Scenario = {
  name: 'serial-line',
  measures: READS,
  async run(bench) {
    const lines: Line[] = [];
    for (const line of LINES) lines.push(...(await measureLine(bench, line)));
    return lines;
  },
  async prepare(bench) {
    const { baudRate, sizes } = COMPARED_LINE;
    const { gateway, load, session, durationMs } = await startLine(bench, COMPARED_LINE);
    const measurements: Measurement[] = [];
    for (const channels of sizes) {
      const name = `${nameOf(channels, baudRate)}: p50`;
      measurements.push(
        await prepareLoad(
          bench,
          { gateway, load },
          createClient(gateway, channels, session),
          ({ p50Us }) => [{ name, value: p50Us / 1000, unit: 'ms', better: 'LESS' }],
          durationMs,
        ),
      );
    }
    return measurements;
  },
};

async function measureLine(
  bench: Bench,
  { baudRate, sizes, gate, goal }: (typeof LINES)[number],
): Promise<readonly Line[]> {
  const { gateway, load, session, durationMs } = await startLine(bench, { baudRate, sizes });
  const lines: Line[] = [];
  for (const channels of sizes) {
    const clients = await load.open(bench, createClient(gateway, channels, session));
    await load.run(gateway.process, durationMs, clients);
    const wireMs = wireMsOf(channels, baudRate);
    const name = nameOf(channels, baudRate);
    const isFullLine = baudRate === FULL_LINE.baudRate && channels === FULL_LINE.channels;
    const measurements = { own: () => load.run(gateway.process, durationMs, clients) };
    const found = await measureUntilDecided(bench, LIMITS, measurements, ({ own }) => [
      {
        row: 9,
        name: `${name}: p50 ÷ characters and silences`,
        value: `${(medianOf(own, 'p50Us') / 1000).toFixed(1)} ms`,
        floor: `${wireMs.toFixed(1)} ms`,
        rounds: figuresOf(own, 'p50Us').map((us) => us / 1000 / wireMs),
        unit: '×',
        gate: { atMost: gate },
        goal: { atMost: goal },
      },
      ...(isFullLine ? [describeProcessor(name, own)] : []),
    ]);
    lines.push(...found);
  }
  return lines;
}

function describeProcessor(name: string, own: readonly Measured[]): Line {
  const cores = own.map(
    ({ cpuUsPerRequest, requests: reads, seconds }) => (cpuUsPerRequest * reads) / (seconds * 1_000_000),
  );
  return {
    row: 9,
    name: `${name}, without pause: processor time`,
    value: `${median(cores).toFixed(3)} cores`,
    rounds: cores,
    isProcessorTime: true,
    unit: 'cores',
    gate: { atMost: 0.35 },
    goal: { atMost: 0.1 },
  };
}

/** A gateway on a line, with an asset for each number of channels. */
interface StartedLine {
  readonly gateway: RunningGateway;
  readonly load: Load;
  /** Head fields of the session. */
  readonly session: Record<string, string>;
  readonly durationMs: number;
}

async function startLine(
  bench: Bench,
  { baudRate, sizes }: Pick<(typeof LINES)[number], 'baudRate' | 'sizes'>,
): Promise<StartedLine> {
  const pair = await openSerialPair();
  bench.after(async () => pair[Symbol.asyncDispose]());
  const device = await startLibmodbusLine(pair.instrument, { baudRate, isPaced: true });
  bench.after(() => device.close());
  const gateway = await startPlant(bench, {
    drivers: [
      { pid: 'line', type: 'modbus', transport: 'rtu', device: pair.gateway, baudRate, parity: 'none' },
    ],
    assets: sizes.map((channels) => ({
      pid: `asset${channels}`,
      driver: 'line',
      channels: createChannels(sequence(channels)),
    })),
  });
  return {
    gateway,
    load: await bench.startLoad(),
    session: await openSession(gateway),
    durationMs: bench.choose({ full: 1500, quick: 600 }),
  };
}

function createClient(gateway: RunningGateway, channels: number, session: Record<string, string>): Clients {
  const requests = [formatGet(readPath(`asset${channels}`), session)];
  return { port: httpsPort(gateway), requests, count: 1 };
}

function nameOf(channels: number, baudRate: number): string {
  return `serial line at ${baudRate}, ${channels} channels`;
}

/** Returns the time on the line for a number of adjacent registers: unit and gateway each keep a silence before they send. */
function wireMsOf(channels: number, baudRate: number): number {
  const characterMs = (BITS_OF_CHARACTER * 1000) / baudRate;
  // Above 19200 baud the standard recommends a fixed time (MODBUS over Serial Line V1.02, 2.5.1.1).
  const silentIntervalMs = baudRate > 19_200 ? 1.75 : 3.5 * characterMs;
  const requests = Math.ceil(channels / MAXIMUM_REGISTERS);
  const characters = requests * (REQUEST_CHARACTERS + ANSWER_OVERHEAD_CHARACTERS) + 2 * channels;
  return characters * characterMs + requests * 2 * silentIntervalMs;
}
