import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A Modbus server in its own process. */
export interface ModbusProcess {
  readonly port: number;
  /** Returns the number of requests served since the call before. */
  countRequests(): Promise<number>;
  /** Stops the process; it answers pending requests once it continues. */
  hold(): void;
  goOn(): void;
  close(): Promise<void>;
}

/** Starts a program that prints its port first, then one count per line of input, and ends with its input. */
export async function startModbusProcess(
  program: string,
  parameters: readonly string[],
): Promise<ModbusProcess> {
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit');
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${program} ended`)));
  const readNumber = async (): Promise<number> => {
    const [line] = (await once(lines, 'line', { signal: ended.signal })) as string[];
    return Number(line);
  };
  return {
    port: await readNumber(),
    countRequests() {
      child.stdin.write('\n');
      return readNumber();
    },
    hold: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async close() {
      child.kill('SIGCONT');
      child.stdin.end();
      await exited;
    },
  };
}
