import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import type { Bench } from '../bench.ts';
import { figuresOf, medianOf } from '../load.ts';
import {
  createChannels,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import type { Line, Scenario } from '../scenario.ts';
import { measureInTurn, median } from '../statistics.ts';

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

/** One client that reads a unit in RTU mode, beside the time that the characters and silences take. */
export const serialLine: Scenario = {
  name: 'serial-line',
  async run(bench) {
    const lines: Line[] = [];
    for (const line of LINES) lines.push(...(await measureLine(bench, line)));
    return lines;
  },
};

async function measureLine(
  bench: Bench,
  { baudRate, sizes, gate, goal }: (typeof LINES)[number],
): Promise<readonly Line[]> {
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
  const session = await openSession(gateway);
  const load = await bench.startLoad();
  const durationMs = bench.choose({ full: 1500, quick: 600 });
  const lines: Line[] = [];
  for (const channels of sizes) {
    const requests = [formatGet(readPath(`asset${channels}`), session)];
    const clients = await load.open(bench, { port: httpsPort(gateway), requests, count: 1 });
    await load.run(gateway.process, durationMs, clients);
    const { own } = await measureInTurn(bench.choose({ full: 6, quick: 3 }), {
      own: () => load.run(gateway.process, durationMs, clients),
    });
    const wireMs = wireMsOf(channels, baudRate);
    const name = `serial line at ${baudRate}, ${channels} channels`;
    lines.push({
      row: 9,
      name: `${name}: p50 ÷ characters and silences`,
      value: `${(medianOf(own, 'p50Us') / 1000).toFixed(1)} ms`,
      floor: `${wireMs.toFixed(1)} ms`,
      rounds: figuresOf(own, 'p50Us').map((us) => us / 1000 / wireMs),
      unit: '×',
      gate: { atMost: gate },
      goal: { atMost: goal },
    });
    if (baudRate === FULL_LINE.baudRate && channels === FULL_LINE.channels) {
      const cores = own.map(
        ({ cpuUsPerRequest, requests: reads, seconds }) => (cpuUsPerRequest * reads) / (seconds * 1_000_000),
      );
      lines.push({
        row: 9,
        name: `${name}, without pause: processor time`,
        value: `${median(cores).toFixed(3)} cores`,
        rounds: cores,
        unit: 'cores',
        gate: { atMost: 0.35 },
        goal: { atMost: 0.1 },
      });
    }
  }
  return lines;
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
