import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../../base/clock.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import { ChildFailure, runInChild } from '../../base/process/run-in-child.ts';
import { DeploymentError } from './deployment-error.ts';
import type { DeploymentReason } from './deployment-error.ts';
import type { UnpackedPackage, UnpackingRequest } from './unpack-package.ts';

/** An error of a package, as the child process reports it. */
export interface Refusal {
  readonly reason: DeploymentReason;
  readonly detail: string;
}

/** Response of the child process: the package, the errors for which it is rejected, or the code of a system error. */
export type UnpackingAnswer =
  | { readonly unpacked: UnpackedPackage }
  | { readonly refused: readonly Refusal[] }
  | { readonly failed: string };

/** Time limit of the child process for a package of any size: reads of devices go first. */
export const UNPACKING_LIMIT_MS = 60_000;
// On a core that reads keep busy, the process receives a thirtieth of the time: enough for a slow processor, too.
const BYTES_PER_FURTHER_SECOND = 1_048_576;
// It computes for longer than other children: at 10 it would have a tenth, in pieces of milliseconds that every read waits for.
const NICE = 15;
// The content of entries is not on the heap.
const HEAP_MIB = 64;
// Ten times the size of 2000 files with their paths and digests.
const MAXIMUM_ANSWER_BYTES = 33_554_432;

/** The package is invalid; reason and detail are those of the first error. */
export class PackageRefused extends DeploymentError {
  /** Every error when the request was thorough, otherwise the first one. */
  readonly errors: readonly DeploymentError[];

  constructor(refusals: readonly Refusal[]) {
    const [{ reason, detail } = { reason: 'NOT_A_JAR', detail: 'the package is not valid' } as const] =
      refusals;
    super(reason, detail);
    this.errors = refusals.map((refusal) => new DeploymentError(refusal.reason, refusal.detail));
  }
}

/**
 * Checks and unpacks a package in a child process with limits of memory and time, which may write only to the target. Its
 * crash does not affect the daemon.
 *
 * @param signal ends the process
 * @throws {PackageRefused} with the errors of the package
 * @throws {DeploymentError} `TIMEOUT` when it takes too long, `OTHER_ERROR` when the process or the disk fails, `CANCELLED` when
 *   `signal` aborts
 */
export async function unpackInChild(
  request: UnpackingRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<UnpackedPackage> {
  if (signal.aborted) throw createCancelled();
  await mkdir(request.target, { mode: 0o700 });
  const { size } = await stat(request.file);
  const limitMs = UNPACKING_LIMIT_MS + 1000 * Math.floor(size / BYTES_PER_FURTHER_SECOND);
  const answer = await runUnpacking(request, clock, signal, limitMs);
  if ('unpacked' in answer) return answer.unpacked;
  if ('refused' in answer) throw new PackageRefused(answer.refused);
  throw new DeploymentError(
    'OTHER_ERROR',
    `the package cannot be unpacked: ${describeFileFault({ code: answer.failed })}`,
  );
}

async function runUnpacking(
  request: UnpackingRequest,
  clock: Clock,
  signal: AbortSignal,
  timeLimitMs: number,
): Promise<UnpackingAnswer> {
  try {
    const answer = await runInChild({
      program: path.join(import.meta.dirname, 'unpack-process'),
      input: JSON.stringify(request),
      heapMib: HEAP_MIB,
      timeLimitMs,
      maximumAnswerBytes: MAXIMUM_ANSWER_BYTES,
      nice: NICE,
      writableDirectory: request.target,
      clock,
      signal,
    });
    return JSON.parse(answer.toString()) as UnpackingAnswer;
  } catch (error) {
    throw error instanceof ChildFailure ? toDeploymentError(error, timeLimitMs) : error;
  }
}

function toDeploymentError(failure: ChildFailure, timeLimitMs: number): DeploymentError {
  switch (failure.reason) {
    case 'ABORTED':
      return createCancelled();
    case 'TIMEOUT':
      return new DeploymentError('TIMEOUT', `the package was not unpacked after ${timeLimitMs / 1000} s`);
    case 'DIED':
      return new DeploymentError('OTHER_ERROR', 'the process that unpacks packages failed', failure.cause);
  }
}

function createCancelled(): DeploymentError {
  return new DeploymentError('CANCELLED', 'the operation was cancelled');
}
