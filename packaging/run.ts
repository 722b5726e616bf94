import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunOptions {
  readonly cwd?: string;
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a program; its standard error is shown.
 *
 * @returns its standard output
 * @throws if it exits with a status other than 0
 */
export async function run(
  program: string,
  parameters: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  const output = Buffer.concat(chunks).toString();
  if (status !== 0) throw new Error(`${program} ended with status ${status ?? 'none'}: ${output}`);
  return output;
}
