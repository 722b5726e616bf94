import { once } from 'node:events';

import {
  openModbusCall,
  openModbusRtu,
  openModbusTcp,
  openModbusUdp,
  parseRegistration,
} from '../../simulator/plant-modbus.ts';
import type { CalledGateway } from '../../simulator/plant-modbus.ts';
import { SimulatedPlant } from '../../simulator/plant-memory.ts';
import { STEP_MS } from '../../simulator/plant-model.ts';
import { openOpcua } from '../../simulator/plant-opcua.ts';
import { createPanel } from '../../simulator/plant-panel.ts';
import {
  ANNOUNCE_READY,
  announceProtocol,
  PLANT_PROTOCOLS,
  ProtocolUnavailable,
} from '../../simulator/plant-protocol.ts';
import type { OpenProtocol, PlantProtocol } from '../../simulator/plant-protocol.ts';
import { openPseudoTerminal } from '../../simulator/pseudo-terminal.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Terminal } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';

interface SimulateOptions {
  readonly protocols: readonly PlantProtocol[];
  readonly host: string;
  readonly port: number;
  readonly opcuaPort: number;
  readonly rtuLink: string | undefined;
  readonly serialLink: string | undefined;
  /** Gateway to call; absent: none. */
  readonly gateway: CalledGateway | undefined;
}

const PORT = { maximum: 65_535 };

const OPTIONS = {
  protocols: { value: 'LIST', help: 'comma-separated protocols', default: PLANT_PROTOCOLS.join(',') },
  host: {
    value: 'HOST',
    help: 'address to listen on; any client that can reach it can read and write the plant',
    default: '127.0.0.1',
  },
  port: { value: 'PORT', help: 'port of modbus-tcp and modbus-udp; 0: any free port', default: '0' },
  'opcua-port': { value: 'PORT', help: 'port of opcua; 0: any free port', default: '0' },
  'rtu-link': {
    value: 'PATH',
    help: 'create this symbolic link to the line of modbus-rtu',
    names: 'file',
  },
  'serial-link': { value: 'PATH', help: 'create this symbolic link to the line of serial', names: 'file' },
  call: {
    value: 'HOST:PORT',
    help: 'connect to this gateway, as a device with transport: tcp-listen',
  },
  registration: { value: 'TEXT', help: 'with --call: packet to send first; text, or hex:01 02' },
  framing: { value: 'FRAMING', help: 'with --call: frames, RTU or MBAP (default: RTU)' },
} as const;

/** Simulates devices for demonstrations and tests. */
export const simulate = createCommandGroup(
  'simulate',
  'simulate a heating plant over Modbus, OPC UA and serial text',
  {
    '': {
      parameters: '',
      summary: 'simulate one small heating plant over several protocols',
      text: `modbus-tcp: unit 1 is the boiler, unit 2 the heat meter. modbus-udp: the same units over UDP. modbus-rtu: the same units on a pseudo terminal. serial: an operating panel with a line-based text protocol, on another pseudo terminal. opcua: a variable for each value, without security; only in a checkout.

Prints a line with protocol and endpoint for each as soon as it is reachable, and then a line "ready". Protocols that this machine does not support are left out, with a message. Stop with SIGINT or SIGTERM.`,
      options: OPTIONS,
      examples: [
        'penstock simulate --protocols modbus-tcp --port 1502',
        'penstock simulate --call 127.0.0.1:5020 --registration PUMP-0001',
      ],
      runHere: async ({ options, terminal }) => {
        const { protocols = '', host = '', ...more } = toTexts(options);
        await runPlant(
          {
            protocols: parseProtocols(protocols),
            host,
            port: readWholeNumber(options, 'port', PORT) ?? 0,
            opcuaPort: readWholeNumber(options, 'opcua-port', PORT) ?? 0,
            rtuLink: more['rtu-link'],
            serialLink: more['serial-link'],
            gateway: parseGateway(more),
          },
          terminal,
        );
      },
    },
  },
);

function toTexts(
  options: Readonly<Record<string, unknown>>,
): Readonly<Partial<Record<keyof typeof OPTIONS, string>>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value === 'string'));
}

async function runPlant(options: SimulateOptions, terminal: Terminal): Promise<void> {
  const { stopSignal } = terminal;
  const plant = new SimulatedPlant();
  const opened: OpenProtocol[] = [];
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    plant.advance(nowMs - lastMs);
    lastMs = nowMs;
  }, STEP_MS);
  try {
    for (const protocol of options.protocols) {
      if (stopSignal.aborted) return;
      const open = await openIfPossible(protocol, plant, options, terminal);
      if (open === undefined) continue;
      opened.push(open);
      terminal.print(announceProtocol(open));
    }
    if (options.gateway !== undefined) {
      const onState = (text: string): void => terminal.note(`modbus-call: ${text}\n`);
      const open = openModbusCall(plant, options.gateway, onState);
      opened.push(open);
      terminal.print(announceProtocol(open));
    }
    if (opened.length === 0) {
      throw new CommandError({ code: 'NO_PROTOCOL', detail: 'this machine offers none of the protocols' });
    }
    terminal.print(ANNOUNCE_READY);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
  } finally {
    clearInterval(timer);
    await Promise.all(opened.map((open) => open.close()));
  }
}

async function openIfPossible(
  protocol: PlantProtocol,
  plant: SimulatedPlant,
  options: SimulateOptions,
  terminal: Terminal,
): Promise<OpenProtocol | undefined> {
  try {
    return await openProtocol(protocol, plant, options);
  } catch (error) {
    if (!(error instanceof ProtocolUnavailable)) throw error;
    terminal.note(`${protocol} is left out: ${error.detail}\n`);
    return undefined;
  }
}

function openProtocol(
  protocol: PlantProtocol,
  plant: SimulatedPlant,
  { host, port, opcuaPort, rtuLink, serialLink }: SimulateOptions,
): Promise<OpenProtocol> {
  switch (protocol) {
    case 'modbus-tcp':
      return openModbusTcp(plant, host, port);
    case 'modbus-udp':
      return openModbusUdp(plant, host, port);
    case 'modbus-rtu':
      return openModbusRtu(plant, rtuLink);
    case 'serial':
      return openPanel(plant, serialLink);
    case 'opcua':
      return openOpcua(plant, host, opcuaPort);
  }
}

async function openPanel(plant: SimulatedPlant, link: string | undefined): Promise<OpenProtocol> {
  const receive = createPanel(plant, (bytes) => line.send(bytes));
  const line = await openPseudoTerminal({ link, onChunk: receive });
  return { protocol: 'serial', endpoint: line.path, close: () => line.close() };
}

function parseProtocols(text: string): readonly PlantProtocol[] {
  const names = new Set(text.split(','));
  for (const name of names) {
    if (PLANT_PROTOCOLS.some((known) => known === name)) continue;
    throw new UsageError(`--protocols "${name}": expected ${PLANT_PROTOCOLS.join(', ')}`);
  }
  return PLANT_PROTOCOLS.filter((known) => names.has(known));
}

const GATEWAY = /^(?:\[([\dA-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/;

function parseGateway({
  call,
  registration,
  framing,
}: ReturnType<typeof toTexts>): CalledGateway | undefined {
  if (call === undefined) {
    if (registration !== undefined) throw new UsageError('--registration requires --call');
    if (framing !== undefined) throw new UsageError('--framing requires --call');
    return undefined;
  }
  const [, bracketed, plain, digits] = GATEWAY.exec(call) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host === undefined || port < 1 || port > PORT.maximum) {
    throw new UsageError(`--call "${call}": expected HOST:PORT`);
  }
  const packet = registration === undefined ? undefined : parseRegistration(registration);
  if (registration !== undefined && packet === undefined) {
    throw new UsageError(
      `--registration "${registration}": expected text, or hex: and pairs of hexadecimal digits`,
    );
  }
  if (framing !== undefined && framing !== 'RTU' && framing !== 'MBAP') {
    throw new UsageError(`--framing "${framing}": expected RTU or MBAP`);
  }
  return { host, port, registration: packet, framing: framing ?? 'RTU' };
}
