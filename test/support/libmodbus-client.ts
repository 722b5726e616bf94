import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

const execute = promisify(execFile);

/** Reads registers from 0 on for a while and returns the median duration of one pass over them, in microseconds. */
export type ReadRegisters = (port: number, registers: number, durationMs: number) => Promise<number>;

/**
 * Builds a client on libmodbus that reads in a loop.
 *
 * @param prefix command that the client is put behind
 * @throws when the compiler or the library is missing, naming the Debian package
 */
export function buildLibmodbusClient(t: Owner, prefix: readonly string[] = []): ReadRegisters {
  const folder = path.resolve(import.meta.dirname, '../../build/test');
  const program = path.join(folder, `libmodbus-client-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  t.after(() => rmSync(program, { force: true }));
  const source = path.join(import.meta.dirname, 'libmodbus-client.c');
  execFileSync(programOf('libmodbus'), ['-O2', '-I/usr/include/modbus', '-o', program, source, '-lmodbus'], {
    stdio: 'pipe',
  });
  return async (port, registers, durationMs) => {
    const parameters = [port, registers, durationMs].map(String);
    const [command, ...rest] = prefix;
    const { stdout } = await (command === undefined
      ? execute(program, parameters)
      : execute(command, [...rest, program, ...parameters]));
    return Number(stdout);
  };
}
