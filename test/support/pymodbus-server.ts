import path from 'node:path';
import { startModbusProcess } from './modbus-process.ts';
import type { ModbusProcess } from './modbus-process.ts';
import { programOf } from './tools.ts';

/**
 * Starts a server on the pymodbus of Debian, 3.0: registers hold their offset, bits are set where the offset is odd; all
 * tables end at 999.
 *
 * @param parameters its protocol, unless Modbus TCP: `tls CERTIFICATE KEY AUTHORITY`, `ascii DEVICE`, `rtu DEVICE` `udp` or
 *   `rtu-over-tcp`; then `closing` for one answer for each connection, `ignoring` for silence at register 37, `maskless`
 *   for no mask write, `limited` for exception 2 to requests for more than 40 entries, or `sparse` for no function code 3 and
 *   0x8000 in the registers 100 to 103
 * @throws when the library is missing, naming what brings it
 */
export async function startPymodbusServer(...parameters: readonly string[]): Promise<ModbusProcess> {
  return startModbusProcess(programOf('pymodbus'), [
    path.join(import.meta.dirname, 'pymodbus-server.py'),
    ...parameters,
  ]);
}

/** Starts the same server on a current pymodbus, which shares little code with that of Debian. */
export async function startCurrentPymodbusServer(...parameters: readonly string[]): Promise<ModbusProcess> {
  return startModbusProcess(programOf('pymodbus-3.16'), [
    path.join(import.meta.dirname, 'pymodbus-current-server.py'),
    ...parameters,
  ]);
}

/** Each release of pymodbus that the tests run against, with the function that starts its server. */
export const PYMODBUS_SERVERS = [
  ['pymodbus', startPymodbusServer],
  ['pymodbus-3.16', startCurrentPymodbusServer],
] as const;
