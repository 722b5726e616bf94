import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
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
import { measureInTurn } from '../statistics.ts';

const BAUD_RATE = 115_200;
// A start bit, eight data bits and two stop bits.
const CHARACTER_MS = (11 * 1000) / BAUD_RATE;
const SILENT_INTERVAL_MS = 1.75;
const REQUEST_CHARACTERS = 8;
const ANSWER_OVERHEAD_CHARACTERS = 5;
const MAXIMUM_REGISTERS = 125;

const SIZES = [
  { pid: 'ten', channels: 10, gate: 1.5 },
  { pid: 'hundred', channels: 100, gate: 1.25 },
  { pid: 'thousand', channels: 1000, gate: 1.25 },
] as const;

/** One client that reads a unit in RTU mode, beside the time that the characters and silences take. */
export const serialLine: Scenario = {
  name: 'serial-line',
  async run(bench) {
    const pair = await openSerialPair();
    bench.after(async () => pair[Symbol.asyncDispose]());
    const device = await startLibmodbusLine(pair.instrument, { baudRate: BAUD_RATE, isPaced: true });
    bench.after(() => device.close());
    const line = { transport: 'rtu', device: pair.gateway, baudRate: BAUD_RATE, parity: 'none' };
    const gateway = await startPlant(bench, {
      drivers: [{ pid: 'line', type: 'modbus', ...line }],
      assets: SIZES.map(({ pid, channels }) => ({
        pid,
        driver: 'line',
        channels: createChannels(sequence(channels)),
      })),
    });
    const session = await openSession(gateway);
    const load = await bench.startLoad();
    const durationMs = bench.choose({ full: 1500, quick: 600 });
    const lines: Line[] = [];
    for (const { pid, channels, gate } of SIZES) {
      const requests = [formatGet(readPath(pid), session)];
      const clients = await load.open(bench, { port: httpsPort(gateway), requests, count: 1 });
      await load.run(gateway.process, durationMs, clients);
      const { own } = await measureInTurn(bench.choose({ full: 6, quick: 3 }), {
        own: () => load.run(gateway.process, durationMs, clients),
      });
      const ownMs = medianOf(own, 'p50Us') / 1000;
      const wireMs = wireMsOf(channels);
      lines.push(
        {
          row: 9,
          name: `serial line at ${BAUD_RATE}, ${channels} channels: p50 ÷ characters and silences`,
          value: `${ownMs.toFixed(1)} ms`,
          floor: `${wireMs.toFixed(1)} ms`,
          rounds: figuresOf(own, 'p50Us').map((us) => us / 1000 / wireMs),
          unit: '×',
          gate: { atMost: gate },
          goal: { atMost: 1.1 },
        },
        {
          row: 9,
          name: `serial line at ${BAUD_RATE}, ${channels} channels: CPU per read`,
          value: `${medianOf(own, 'cpuUsPerRequest').toFixed(0)} µs`,
          rounds: figuresOf(own, 'cpuUsPerRequest'),
          unit: 'µs',
        },
      );
    }
    return lines;
  },
};

/** Returns the time on the line for a number of adjacent registers: unit and gateway each keep a silence before they send. */
function wireMsOf(channels: number): number {
  const requests = Math.ceil(channels / MAXIMUM_REGISTERS);
  const characters = requests * (REQUEST_CHARACTERS + ANSWER_OVERHEAD_CHARACTERS) + 2 * channels;
  return characters * CHARACTER_MS + requests * 2 * SILENT_INTERVAL_MS;
}
