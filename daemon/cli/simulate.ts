import { once } from 'node:events';

import { messageOf } from '../base/errors.ts';
import { startModbusServer } from '../../drivers/modbus/modbus-server.ts';
import type { ModbusServer } from '../../drivers/modbus/modbus-server.ts';
import { SimulatedPlant } from './plant-memory.ts';
import { STEP_MS } from './plant-model.ts';
import { CommandError, parseOptions, UsageError } from './verb.ts';
import type { Terminal, Verb } from './verb.ts';

const USAGE = `Usage: penstock simulate [--host HOST] [--port PORT]

Simulates a small heating plant that speaks Modbus TCP: unit 1 is the boiler, unit 2 the heat meter.
Prints one line with the port as soon as it can be reached; ends on SIGINT or SIGTERM.

  --host HOST    address to listen on (default 127.0.0.1); anyone who can reach it can read and write the plant
  --port PORT    TCP port, 0 for any free one (default 0)
`;

/** Simulates devices for trying out and testing. */
export const simulate: Verb = {
  name: 'simulate',
  summary: 'simulates a heating plant that speaks Modbus TCP',
  usage: USAGE,
  async run(parameters, terminal) {
    const options = parseOptions(parameters, {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
    });
    await runPlant(options.host, parsePort(options.port), terminal);
  },
};

/** Gives the port that a line of the output announces; undefined for any other line. */
export function findAnnouncedPort(line: string): number | undefined {
  const [, port] = /^listening on port (\d+)$/.exec(line) ?? [];
  return port === undefined ? undefined : Number(port);
}

async function runPlant(host: string, port: number, terminal: Terminal): Promise<void> {
  const { stopSignal } = terminal;
  const plant = new SimulatedPlant();
  const server = await startServer(host, port, plant);
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    plant.advance(nowMs - lastMs);
    lastMs = nowMs;
  }, STEP_MS);
  terminal.print(`listening on port ${server.port}\n`);
  if (!stopSignal.aborted) await once(stopSignal, 'abort');
  clearInterval(timer);
  await server.close();
}

async function startServer(host: string, port: number, memory: SimulatedPlant): Promise<ModbusServer> {
  try {
    return await startModbusServer({ host, port, memory });
  } catch (cause) {
    throw new CommandError({ code: 'PORT_UNAVAILABLE', detail: describeFailure(host, port, cause), cause });
  }
}

function describeFailure(host: string, port: number, cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another program; choose another one with --port`;
    case 'EACCES':
      return `port ${port} may not be opened by this user; choose one from 1024 up`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine`;
    default:
      return `port ${port} of ${host} cannot be opened: ${messageOf(cause)}`;
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port "${text}": expected a whole number from 0 to 65535`);
}
