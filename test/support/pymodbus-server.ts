import path from 'node:path';
import { startModbusProcess } from './modbus-process.ts';
import type { ModbusProcess } from './modbus-process.ts';
import { programOf } from './tools.ts';

/**
 * Starts a server on pymodbus: registers hold their offset, bits are set where the offset is odd; all tables end at 999.
 *
 * @param parameters its protocol, unless Modbus TCP: `tls CERTIFICATE KEY AUTHORITY`, `ascii DEVICE`, `rtu DEVICE` or
 *   `rtu-over-tcp`; then `closing` for one answer for each connection, `ignoring` for silence at register 37, or `maskless` for no mask write
 * @throws when the library is missing, naming the Debian package
 */
export async function startPymodbusServer(...parameters: readonly string[]): Promise<ModbusProcess> {
  return startModbusProcess(programOf('pymodbus'), [
    path.join(import.meta.dirname, 'pymodbus-server.py'),
    ...parameters,
  ]);
}
