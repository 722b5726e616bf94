import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

import { CommandError } from '../command-error.ts';

const KEPT_LINES = 5;

// Longer than a regular stop of the daemon.
const STOP_TIMEOUT_MS = 15_000;

interface ChildOptions<Ready> {
  /** Name for messages: `the daemon`. */
  readonly name: string;
  /** Script and arguments for the Node.js of this process. */
  readonly parameters: readonly string[];
  /** Parses a line of standard output that reports readiness; returns undefined for any other. */
  readonly findReady: (line: string) => Ready | undefined;
  /** Returns true if a line of standard output reports an error; all lines of standard error do. */
  readonly isError: (line: string) => boolean;
  /** Called with every line of both outputs. */
  readonly onLine: (line: string) => void;
}

/** A child process. */
export interface Child<Ready> {
  /** Resolves when the child is ready; rejects with {@link CommandError} if it ends before. */
  readonly ready: Promise<Ready>;
  /** Never resolves; rejects with {@link CommandError} with the exit status and the last errors of the child. */
  readonly ended: Promise<never>;
  /** Stops the child, kills it after a timeout, and resolves after its end. */
  stop(): Promise<void>;
}

/** Starts a child in the same process group, so that a signal to the group ends it too. */
export function startChild<Ready>(options: ChildOptions<Ready>): Child<Ready> {
  const { name, parameters, findReady, isError, onLine } = options;
  const child = spawn(process.execPath, ['--disable-sigusr1', ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ready = Promise.withResolvers<Ready>();
  const ended = Promise.withResolvers<never>();
  const closed = Promise.withResolvers<void>();
  const errors: string[] = [];
  const keep = (line: string): void => {
    errors.push(line);
    if (errors.length > KEPT_LINES) errors.shift();
  };
  createInterface({ input: child.stderr }).on('line', (line) => {
    keep(line);
    onLine(line);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (isError(line)) keep(line);
    onLine(line);
    const found = findReady(line);
    if (found !== undefined) ready.resolve(found);
  });
  const onEnd = (how: string): void => {
    const error = new CommandError({ code: 'CHILD_ENDED', detail: describeEnd(name, how, errors) });
    ready.reject(error);
    ended.reject(error);
    closed.resolve();
  };
  child.once('error', (error) => onEnd(`could not be started: ${error.message}`));
  child.once('close', (status, signal) => {
    onEnd(signal === null ? `ended with status ${status}` : `was ended by ${signal}`);
  });
  // Callers may ignore them.
  ready.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  return { ready: ready.promise, ended: ended.promise, stop: () => stopChild(child, closed.promise) };
}

async function stopChild(child: ChildProcess, closed: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}

function describeEnd(name: string, how: string, errors: readonly string[]): string {
  if (errors.length === 0) return `${name} ${how}`;
  return [`${name} ${how}; its last errors:`, ...errors.map((line) => `  ${line}`)].join('\n');
}
