import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startModbusProcess } from './modbus-process.ts';
import type { ModbusProcess } from './modbus-process.ts';

/**
 * Starts a server on libmodbus: registers hold their offset, bits are set where the offset is odd; holding registers
 * 60000..60009 do not exist.
 *
 * @param port 0: any free port
 * @throws when the compiler or the library is missing, naming the Debian package
 */
export async function startLibmodbusServer(port = 0): Promise<ModbusProcess> {
  const folder = path.resolve(import.meta.dirname, '../../build/test');
  // One program per process: test files run side by side.
  const program = path.join(folder, `libmodbus-server-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const source = path.join(import.meta.dirname, 'libmodbus-server.c');
    execFileSync('cc', ['-O1', '-I/usr/include/modbus', '-o', program, source, '-lmodbus'], {
      stdio: 'pipe',
    });
  } catch (cause) {
    throw new Error('the server on libmodbus cannot be built: apt-get install libmodbus-dev gcc', { cause });
  }
  const server = await startModbusProcess(program, [String(port)]);
  rmSync(program, { force: true });
  return server;
}
