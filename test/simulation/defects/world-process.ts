import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { InvariantName } from '../world/invariants.ts';

/** Which worlds a process runs. */
export interface WorldProcessOptions {
  /** The tree whose gateway runs in them. */
  readonly directory: string;
  readonly seed: string;
  /** Runs worlds with other seeds until this time has passed; one world when absent. */
  readonly seconds?: number | undefined;
}

/** What did not hold in a world. */
export interface BrokenWorld {
  readonly invariant: InvariantName;
  readonly seed: string;
  /** Simulated milliseconds since the beginning of the world. */
  readonly atMs: number;
  readonly message: string;
}

const HOURS = 6;
// Beyond the given seconds: the world that is under way ends.
const GRACE_MS = 120_000;
const BROKEN = /^BROKEN (\S+) at (\S+) ms: (.*)$/;
const SEED = /^seed (\S+), /;

/**
 * Runs worlds in a process of their own, until something does not hold or the time is over.
 *
 * @returns undefined when everything held
 * @throws {Error} when the process ends in another way than by its verdict
 */
export async function runWorlds({
  directory,
  seed,
  seconds,
}: WorldProcessOptions): Promise<BrokenWorld | undefined> {
  const limits = seconds === undefined ? [] : ['--seconds', String(seconds)];
  const args = ['--seed', seed, ...limits, '--hours', String(HOURS), '--no-shrink'];
  const child = spawn(process.execPath, ['--max-old-space-size=1024', 'test/simulation/main.ts', ...args], {
    cwd: directory,
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: Math.ceil((seconds ?? 0) * 1000 + GRACE_MS),
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
  let broken: BrokenWorld | undefined;
  for await (const line of createInterface(child.stdout)) {
    present = SEED.exec(line)?.[1] ?? present;
    const [, invariant, atMs, message = ''] = BROKEN.exec(line) ?? [];
    if (invariant === undefined) continue;
    broken = { invariant: invariant as InvariantName, seed: present, atMs: Number(atMs), message };
  }
  const status = await exited;
  if (status === (broken === undefined ? 0 : 1)) return broken;
  throw new Error(`seed ${present} ended with ${status ?? child.signalCode ?? 'nothing'}: ${complaint}`);
}
