import { spawnSync } from 'node:child_process';
import path from 'node:path';

import type { RunReport } from './oracle.ts';

const PROGRAM = path.join(import.meta.dirname, 'operation.ts');
const LIMIT_MS = 60_000;

/** System calls that change what is on the medium. */
export const CALLS = [
  'write',
  'pwrite64',
  'fsync',
  'fdatasync',
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
] as const;
export type Call = (typeof CALLS)[number];

/** What happens to the n-th call of one kind in each thread: the process is killed, or the call fails. */
export interface Fault {
  readonly call: Call;
  readonly number: number;
  readonly kind: 'KILL' | 'ENOSPC' | 'EIO';
}

/** How a run ended. */
export interface TracedRun {
  readonly report: RunReport | undefined;
  /** The fault took place, in the program itself or in the process that unpacks. */
  readonly isHit: boolean;
  readonly errors: string;
}

/** Runs `operation.ts` on a directory, with a fault or without one. */
export function run(directory: string, operation: readonly string[], fault?: Fault): TracedRun {
  const { stdout, stderr } = execute(directory, operation, fault === undefined ? [] : inject(fault));
  const [line] = stdout.trimEnd().split('\n').slice(-1);
  const isHit = /\+\+\+ killed by SIGKILL|\(INJECTED\)/.test(stderr);
  return { report: findReport(line), isHit, errors: stderr };
}

/** Runs `operation.ts` without a fault, and counts the calls of the thread that makes most of a kind. */
export function countCalls(directory: string, operation: readonly string[]): ReadonlyMap<Call, number> {
  const { stderr } = execute(directory, operation, ['-e', `trace=${CALLS.join(',')}`]);
  const lines = stderr.split('\n').map((line) => /^(\[pid +\d+\] )?(\w+)\(/.exec(line));
  return new Map(
    CALLS.map((call) => {
      const threads = lines.filter((match) => match?.[2] === call).map((match) => match?.[1] ?? '');
      const counts = [...Map.groupBy(threads, (thread) => thread).values()].map(({ length }) => length);
      return [call, Math.max(0, ...counts)];
    }),
  );
}

function inject({ call, number, kind }: Fault): readonly string[] {
  const what = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  return ['-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${number}`];
}

/** @param tracing parameters of strace; none: it is not used */
function execute(directory: string, operation: readonly string[], tracing: readonly string[]) {
  const command = [process.execPath, PROGRAM, directory, ...operation];
  // Not with --seccomp-bpf, which is quicker: signals are lost then.
  const traced = ['strace', '-f', '-q', ...tracing, ...command];
  const [program = '', ...parameters] = tracing.length === 0 ? command : traced;
  // One thread for files: the order of calls is the same each time.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  return spawnSync(program, parameters, { env, encoding: 'utf8', timeout: LIMIT_MS, maxBuffer: 16_777_216 });
}

function findReport(line: string | undefined): RunReport | undefined {
  try {
    return JSON.parse(line ?? '') as RunReport;
  } catch {
    // Killed before it could say anything.
    return undefined;
  }
}
