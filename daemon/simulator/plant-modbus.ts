import { toIdentity } from '../../drivers/modbus/listen-settings.ts';
import { describeBindFailure } from '../base/network/bind-failure.ts';
import { messageOf } from '../base/errors.ts';
import { startModbusCaller } from './modbus-caller.ts';
import type { CallerFraming } from './modbus-caller.ts';
import { startModbusServer } from './modbus-server.ts';
import type { ModbusServer } from './modbus-server.ts';
import { createRtuServer } from './rtu-server.ts';
import { PLANT_UNIT_IDS } from './plant-channels.ts';
import type { SimulatedPlant } from './plant-memory.ts';
import { PlantError } from './plant-protocol.ts';
import type { OpenProtocol } from './plant-protocol.ts';
import { openPseudoTerminal } from './pseudo-terminal.ts';
import { startUdpServer } from './udp-server.ts';

/**
 * Serves the plant over Modbus TCP, to every client that can connect.
 *
 * @param port 0 for any free port
 * @throws {PlantError} `PORT_UNAVAILABLE`
 */
export async function openModbusTcp(
  plant: SimulatedPlant,
  host: string,
  port: number,
): Promise<OpenProtocol> {
  try {
    const server = await startModbusServer({ host, port, memory: plant });
    return toOpenProtocol('modbus-tcp', host, server);
  } catch (cause) {
    throw new PlantError({ code: 'PORT_UNAVAILABLE', detail: describeFailure(host, port, cause), cause });
  }
}

/**
 * Serves the plant over Modbus TCP frames in UDP datagrams.
 *
 * @param port 0 for any free port
 * @throws {PlantError} `PORT_UNAVAILABLE`
 */
export async function openModbusUdp(
  plant: SimulatedPlant,
  host: string,
  port: number,
): Promise<OpenProtocol> {
  try {
    const server = await startUdpServer({ host, port, memory: plant });
    return toOpenProtocol('modbus-udp', host, server);
  } catch (cause) {
    // The owner of a port is found for TCP only.
    const isInUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const detail = isInUse
      ? `UDP port ${port} is in use by another program; choose another port with --port`
      : describeFailure(host, port, cause);
    throw new PlantError({ code: 'PORT_UNAVAILABLE', detail, cause });
  }
}

function toOpenProtocol(
  protocol: OpenProtocol['protocol'],
  host: string,
  server: ModbusServer,
): OpenProtocol {
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return { protocol, endpoint: `${shownHost}:${server.port}`, close: () => server.close() };
}

/** A gateway that the plant calls. */
export interface CalledGateway {
  readonly host: string;
  readonly port: number;
  /** Packet to send first; absent: none. */
  readonly registration: Buffer | undefined;
  readonly framing: CallerFraming;
}

/** Parses a packet: text, or pairs of hexadecimal digits after `hex:`; undefined if it is neither. */
export function parseRegistration(text: string): Buffer | undefined {
  return toIdentity({ registration: text }).registration;
}

const CALL_PAUSE_MS = 3000;

/**
 * Connects the plant to a gateway, as a device with `transport: tcp-listen`, again and again.
 *
 * @param onState called with each new state of the connection, in words
 */
export function openModbusCall(
  plant: SimulatedPlant,
  gateway: CalledGateway,
  onState: (text: string) => void,
): OpenProtocol {
  const { host, port } = gateway;
  const close = startModbusCaller({
    ...gateway,
    memory: plant,
    unitIds: PLANT_UNIT_IDS,
    pauseMs: CALL_PAUSE_MS,
    onState,
  });
  const endpoint = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return { protocol: 'modbus-call', endpoint, close: () => Promise.resolve(close()) };
}

/**
 * Serves the plant in RTU mode over a pseudo terminal.
 *
 * @throws {PlantError} as `openPseudoTerminal` does
 */
export async function openModbusRtu(plant: SimulatedPlant, link?: string): Promise<OpenProtocol> {
  const serve = createRtuServer({
    memory: plant,
    unitIds: PLANT_UNIT_IDS,
    send: (frame) => line.send(frame),
  });
  const line = await openPseudoTerminal({ link, onChunk: serve });
  return { protocol: 'modbus-rtu', endpoint: line.path, close: () => line.close() };
}

function describeFailure(host: string, port: number, cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${describeBindFailure({ host, port }, cause).text}; choose another port with --port`;
    case 'EACCES':
      return `this user is not allowed to open port ${port}; choose one from 1024`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine`;
    default:
      return `cannot open port ${port} of ${host}: ${messageOf(cause)}`;
  }
}
