import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startModbusProcess } from './modbus-process.ts';
import type { ModbusProcess } from './modbus-process.ts';
import { programOf } from './tools.ts';

/**
 * Starts a server on libmodbus: registers hold their offset, bits are set where the offset is odd; holding registers
 * 60000..60009 do not exist.
 *
 * @param port 0: any free port
 * @param entrance words before those of the program, which it is started with
 * @throws when the compiler or the library is missing, naming the Debian package
 */
export function startLibmodbusServer(port = 0, entrance: readonly string[] = []): Promise<ModbusProcess> {
  return startProgram([String(port)], entrance);
}

/**
 * Starts a server on libmodbus that is unit 1 of a serial line in RTU mode, without parity and with two stop bits; it holds
 * the same as the one over TCP.
 *
 * @param isPaced each exchange takes as long as its characters would take on a real line
 */
export function startLibmodbusLine(
  device: string,
  { baudRate, isPaced = false }: { readonly baudRate: number; readonly isPaced?: boolean },
): Promise<ModbusProcess> {
  return startProgram(['rtu', device, String(baudRate), ...(isPaced ? ['paced'] : [])]);
}

async function startProgram(
  parameters: readonly string[],
  entrance: readonly string[] = [],
): Promise<ModbusProcess> {
  const folder = path.resolve(import.meta.dirname, '../../build/test');
  // Each has its own program: test files run side by side, and so do servers.
  const program = path.join(folder, `libmodbus-server-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  const source = path.join(import.meta.dirname, 'libmodbus-server.c');
  execFileSync(programOf('libmodbus'), ['-O1', '-I/usr/include/modbus', '-o', program, source, '-lmodbus'], {
    stdio: 'pipe',
  });
  const [first = program, ...others] = [...entrance, program, ...parameters];
  const server = await startModbusProcess(first, others);
  rmSync(program, { force: true });
  return server;
}
