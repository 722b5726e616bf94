import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { programOf } from '../support/tools.ts';

const LIMIT_MS = 60_000;

// Half of the time of a short run goes into compiling the same files.
const COMPILE_CACHE = path.resolve(import.meta.dirname, '../../build/compile-cache');

/** A system call that changes the content of the disk, or opens a file. */
export type Call =
  | 'openat'
  | 'write'
  | 'pwrite64'
  | 'fsync'
  | 'fdatasync'
  | 'ftruncate'
  | 'rename'
  | 'unlink'
  | 'mkdir'
  | 'rmdir';

/** Outcome of the n-th call of one kind in each thread: the process is killed, or the call fails. */
export interface Fault {
  readonly call: Call;
  readonly number: number;
  readonly kind: 'KILL' | 'ENOSPC' | 'EIO';
}

/** A program, the directory of its state, and its arguments. */
export interface Run {
  readonly program: string;
  readonly directory: string;
  readonly command: readonly string[];
}

/** The last line that a run wrote: JSON. */
interface Line {
  readonly outcome: string;
}

/** How a run ended. */
export interface TracedRun {
  /** The last report; undefined when there was none. */
  readonly report: Line | undefined;
  /** The fault occurred, in the program itself or in a process that it started. */
  readonly isHit: boolean;
  /** The program did not end. */
  readonly isStuck: boolean;
  readonly errors: string;
}

/** Runs a program, with a fault or without one. */
export function execute(run: Run, fault?: Fault): TracedRun {
  const { stdout, stderr, error } = spawn(run, fault === undefined ? [] : inject(run, fault));
  const [line] = stdout.trimEnd().split('\n').slice(-1);
  const isHit = /\+\+\+ killed by SIGKILL|\(INJECTED\)/.test(stderr);
  return { report: findReport(line), isHit, isStuck: error !== undefined, errors: stderr };
}

/** Runs a program without a fault, and counts the calls of the thread that makes most of a kind. */
export function countCalls(run: Run, calls: readonly Call[]): ReadonlyMap<Call, number> {
  const { stderr } = spawn(run, ['-e', `trace=${calls.join(',')}`]);
  const lines = stderr
    .split('\n')
    .map((line) => /^(\[pid +\d+\] )?(\w+)\(/.exec(line))
    .filter(
      (match) => match?.[2] !== 'openat' || listOpened(run).some((file) => match.input.includes(`"${file}"`)),
    );
  return new Map(
    calls.map((call) => {
      const threads = lines.filter((match) => match?.[2] === call).map((match) => match?.[1] ?? '');
      const counts = [...Map.groupBy(threads, (thread) => thread).values()].map(({ length }) => length);
      return [call, Math.max(0, ...counts)];
    }),
  );
}

function inject(run: Run, { call, number, kind }: Fault): readonly string[] {
  const what = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  const files = call === 'openat' ? listOpened(run).flatMap((file) => ['-P', file]) : [];
  return [...files, '-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${number}`];
}

/** The files whose opening counts; everything else that a process opens are its own modules and libraries. */
function listOpened({ directory }: Run): readonly string[] {
  const database = path.join(directory, 'penstock.db');
  return [database, `${database}-wal`, `${database}-journal`, path.join(directory, 'keys/local/signing.pem')];
}

/** @param tracing parameters of strace; none: it is not used */
function spawn({ program, directory, command }: Run, tracing: readonly string[]) {
  const words = [process.execPath, program, directory, ...command];
  // Not with --seccomp-bpf, which is quicker: signals are lost then.
  const traced = [programOf('strace'), '-f', '-q', ...tracing, ...words];
  const [executable = '', ...parameters] = tracing.length === 0 ? words : traced;
  // One thread for files: the order of calls is the same each time.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: COMPILE_CACHE };
  return spawnSync(executable, parameters, {
    env,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 16_777_216,
  });
}

function findReport(line: string | undefined): Line | undefined {
  try {
    return JSON.parse(line ?? '') as Line;
  } catch {
    // Killed before it could report anything.
    return undefined;
  }
}
