import { describeBindFailure } from '../base/network/bind-failure.ts';
import { messageOf } from '../base/errors.ts';
import { startModbusServer } from './modbus-server.ts';
import { createRtuServer } from './rtu-server.ts';
import { PLANT_UNIT_IDS } from './plant-channels.ts';
import type { SimulatedPlant } from './plant-memory.ts';
import { PlantError } from './plant-protocol.ts';
import type { OpenProtocol } from './plant-protocol.ts';
import { openPseudoTerminal } from './pseudo-terminal.ts';

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
    const shownHost = host.includes(':') ? `[${host}]` : host;
    return {
      protocol: 'modbus-tcp',
      endpoint: `${shownHost}:${server.port}`,
      close: () => server.close(),
    };
  } catch (cause) {
    throw new PlantError({ code: 'PORT_UNAVAILABLE', detail: describeFailure(host, port, cause), cause });
  }
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
