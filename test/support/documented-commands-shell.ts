import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const COMMAND_LIMIT_MS = 120_000;

/** The directory and the environment of a script. */
export interface ShellOptions {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Its input. */
  readonly typed: string;
  /** It does not end by itself: it is stopped when it has printed this. */
  readonly until: RegExp | undefined;
}

/**
 * Runs a script like a user who types it and stops at the first command that fails.
 *
 * @returns the text of both outputs, in order, and the exit status; 0 when it was stopped as asked
 * @throws {AssertionError} when it ends before `until` was printed
 */
export async function runShell(
  script: string,
  { home, environment, typed, until }: ShellOptions,
): Promise<{ readonly printed: string; readonly status: number | null }> {
  const child = spawn('bash', ['--norc', '-e', '-u', '-o', 'pipefail', '-c', `exec 2>&1\n${script}`], {
    cwd: home,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // A program that reads nothing may be gone before it is typed to.
  child.stdin.on('error', () => undefined);
  child.stdin.end(typed);
  let printed = '';
  let isStopped = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const limit = setTimeout(() => stop('SIGKILL'), COMMAND_LIMIT_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (isStopped || until?.test(printed) !== true) return;
      isStopped = true;
      stop('SIGINT');
    });
  }
  await once(child, 'close');
  clearTimeout(limit);
  if (until !== undefined) assert.ok(isStopped, `ended before ${String(until)}: ${printed}`);
  return { printed, status: isStopped ? 0 : child.exitCode };
}
