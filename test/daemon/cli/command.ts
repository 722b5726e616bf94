import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { Owner } from '../../support/temporary-directory.ts';
import { findProgram } from '../../support/programs.ts';

/** The command `penstock` in its own process. */
export interface RunningCommand {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  /** Resolves with the match of the pattern in the standard output, as soon as there is one. */
  find(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit status when the command has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts `penstock`, and stops it when the test ends; the built one unless its source is given. */
export function startCommand(
  t: Owner,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program: string = findProgram('daemon/cli/main'),
): RunningCommand {
  const child = spawn(process.execPath, [program, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(() => child.exitCode);
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    process: child,
    output: () => output,
    errors: () => errors,
    ended,
    async find(pattern) {
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return found;
        const isOver = await Promise.race([
          ended.then(() => true),
          once(child.stdout, 'data').then(() => false),
        ]);
        if (isOver && !pattern.test(output))
          throw new Error(`the command ended without ${pattern}: ${errors}`);
      }
    },
  };
}

/** Runs `penstock` until it ends. */
export async function runCommand(
  t: Owner,
  parameters: readonly string[],
): Promise<{ status: number | null; output: string; errors: string }> {
  const command = startCommand(t, parameters);
  const status = await command.ended;
  return { status, output: command.output(), errors: command.errors() };
}
