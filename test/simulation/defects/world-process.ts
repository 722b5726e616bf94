import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { InvariantName } from '../world/invariants.ts';

/** Which worlds a process runs. */
export interface WorldProcessOptions {
  /** The tree whose gateway runs in them. */
  readonly directory: string;
  readonly seed: string;
  /** Simulated hours of each world. */
  readonly hours: number;
  /** Runs worlds with other seeds until its process has kept a processor busy for so long; one world when absent. */
  readonly cpuSeconds?: number | undefined;
}

/** What did not hold in a world. */
export interface BrokenWorld {
  readonly invariant: InvariantName;
  readonly seed: string;
  /** Simulated milliseconds since the beginning of the world. */
  readonly atMs: number;
  readonly message: string;
}

/** What became of the worlds of one process. */
export interface WorldsRun {
  /** The first that did not hold; undefined when everything held. */
  readonly broken: BrokenWorld | undefined;
  /** How long the process kept a processor busy. */
  readonly cpuSeconds: number;
  /** The simulated time of all its worlds. */
  readonly simulatedMs: number;
}

const HOUR_MS = 3_600_000;
// A processor that others use as well takes so many times longer, and the world that is under way ends.
const LONGEST_SHARE = 12;
const GRACE_MS = 600_000;
const BROKEN = /^BROKEN (\S+) at (\S+) ms: (.*)$/;
const SEED = /^seed (\S+), /;
const USED = /^(\S+) s of the processor$/;

/**
 * Runs worlds in a process of their own, until something does not hold or the time is over.
 *
 * @throws {Error} when the process ends in another way than by its verdict
 */
export async function runWorlds({
  directory,
  seed,
  hours,
  cpuSeconds: limit,
}: WorldProcessOptions): Promise<WorldsRun> {
  const limits = limit === undefined ? [] : ['--cpu-seconds', String(limit)];
  const args = ['--seed', seed, ...limits, '--hours', String(hours), '--no-shrink'];
  const child = spawn(process.execPath, ['--max-old-space-size=1024', 'test/simulation/main.ts', ...args], {
    cwd: directory,
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: Math.ceil((limit ?? 0) * 1000 * LONGEST_SHARE + GRACE_MS),
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  let present = seed;
  let worlds = 0;
  let cpuSeconds = 0;
  let broken: BrokenWorld | undefined;
  for await (const line of createInterface(child.stdout)) {
    const begun = SEED.exec(line)?.[1];
    if (begun !== undefined) worlds += 1;
    present = begun ?? present;
    cpuSeconds = Number(USED.exec(line)?.[1] ?? cpuSeconds);
    const [, invariant, atMs, message = ''] = BROKEN.exec(line) ?? [];
    if (invariant === undefined) continue;
    broken = { invariant: invariant as InvariantName, seed: present, atMs: Number(atMs), message };
  }
  const status = await exited;
  if (status === (broken === undefined ? 0 : 1)) {
    const worldMs = hours * HOUR_MS;
    return { broken, cpuSeconds, simulatedMs: (worlds - 1) * worldMs + (broken?.atMs ?? worldMs) };
  }
  throw new Error(`seed ${present} ended with ${status ?? child.signalCode ?? 'nothing'}: ${complaint}`);
}
