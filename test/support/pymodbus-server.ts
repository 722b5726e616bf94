import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startModbusProcess } from './modbus-process.ts';
import type { ModbusProcess } from './modbus-process.ts';

// Debian's own interpreter: the package belongs to it, whatever else is in the path.
const PYTHON = '/usr/bin/python3';

/**
 * Starts a server on pymodbus: registers hold their offset, bits are set where the offset is odd; all tables end at 999.
 *
 * @param parameters what it speaks unless Modbus TCP: `tls CERTIFICATE KEY AUTHORITY`, `ascii DEVICE`, `rtu DEVICE` or
 *   `rtu-over-tcp`; then `closing` for one answer for each connection, or `ignoring` for silence at register 37
 * @throws when the library is missing, naming the Debian package
 */
export function startPymodbusServer(...parameters: readonly string[]): Promise<ModbusProcess> {
  try {
    execFileSync(PYTHON, ['-c', 'import pymodbus'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('the server on pymodbus cannot be started: apt-get install python3-pymodbus', { cause });
  }
  return startModbusProcess(PYTHON, [path.join(import.meta.dirname, 'pymodbus-server.py'), ...parameters]);
}
