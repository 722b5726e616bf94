import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

// Debian's own interpreter: the package belongs to it, whatever else is in the path.
const PYTHON = '/usr/bin/python3';

/** A Modbus server on a serial line, in a process of its own. */
export interface SerialModbusProcess extends AsyncDisposable {
  /** Holds the process still: what it is asked meanwhile it answers when it goes on. */
  hold(): void;
  goOn(): void;
}

/**
 * Starts a server on pymodbus: unit 1 has 1,000 entries in every table, registers that hold their offset and bits that are set
 * where the offset is odd.
 */
export async function startPymodbusSerialServer(
  mode: 'rtu' | 'ascii',
  device: string,
): Promise<SerialModbusProcess> {
  const script = path.join(import.meta.dirname, 'pymodbus-serial-server.py');
  const child = spawn(PYTHON, [script, mode, device], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (child.exitCode !== null) {
    throw new Error('the server on pymodbus did not start: apt-get install python3-pymodbus');
  }
  return {
    hold: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.stdin.end();
      await exited;
    },
  };
}
