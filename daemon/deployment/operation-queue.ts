import { randomUUID } from 'node:crypto';

import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { isWithinShare } from '../base/fair-share.ts';
import { describeFileFault } from '../base/file-fault.ts';
import type { Logger } from '../base/logger.ts';
import { DeploymentBusy, DeploymentError } from '../package/deployment-error.ts';
import { isPending, percentOf } from './operation.ts';
import type { Operation, OperationPhase } from './operation.ts';
import { MAXIMUM_KEPT_OPERATIONS } from './operation-store.ts';
import type { OperationStore } from './operation-store.ts';

/** Operations that may wait while one runs. */
export const MAXIMUM_WAITING_OPERATIONS = 16;
/** Time that an operation gets. */
export const OPERATION_LIMIT_MS = 900_000;

const RETRY_AFTER_SECONDS = 30;

/** What an operation is asked to be. */
export type RequestedOperation = Pick<
  Operation,
  'operation' | 'url' | 'sentSha256' | 'name' | 'requester'
> & {
  /** Given where something was kept under it already. */
  readonly id?: string;
};

/** How an operation tells how far it is. */
export interface OperationProgress {
  enter(phase: OperationPhase): void;
  /** @param done part of the phase, 0 to 1 */
  advance(done: number): void;
  /** What package it is about, once that is known. */
  identify(name: string, version: string): void;
  /** What is worth knowing of an operation that succeeds. */
  note(message: string): void;
  /** Keeps how the operation ends, before it is told to anybody. Absent error: it succeeds. */
  decide(error?: DeploymentError): void;
}

/** Runs one operation; the operation fails with what this throws. */
type RunOperation = (operation: Operation, progress: OperationProgress, signal: AbortSignal) => Promise<void>;

interface OperationQueueOptions {
  readonly operations: OperationStore;
  readonly onFinished: (operation: Operation) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Runs operations one after the other in the order in which they were asked for, and keeps them over restarts. */
export class OperationQueue {
  readonly #options: OperationQueueOptions;
  readonly #operations = new Map<string, Operation>();
  readonly #stopping = new AbortController();
  #runOperation: RunOperation | undefined;
  #running: Promise<void> | undefined;
  /** Operations that an earlier run of the daemon left behind. */
  readonly #interrupted: string[] = [];
  /** The operation that runs, as it will have ended. */
  #decided: Operation | undefined;

  constructor(options: OperationQueueOptions) {
    this.#options = options;
  }

  /** Takes up what was kept; nothing runs yet. */
  load(): void {
    for (const operation of this.#options.operations.list()) {
      this.#operations.set(operation.id, operation);
      if (operation.state === 'RUNNING') this.#interrupted.push(operation.id);
    }
  }

  /** Every operation that is known, the newest first. */
  list(): readonly Operation[] {
    return [...this.#operations.values()].toReversed();
  }

  find(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** Ids of operations whose packages, where they were sent, are still of use. */
  listKept(): readonly string[] {
    const isStopping = this.#stopping.signal.aborted;
    return this.#listIn(isStopping ? ['QUEUED', 'RUNNING'] : ['QUEUED']);
  }

  /** Gives the operation of the same kind on the same thing that waits or runs. */
  findPending({ operation, url, sentSha256, name }: RequestedOperation): Operation | undefined {
    return [...this.#operations.values()].find(
      (candidate) =>
        isPending(candidate) &&
        candidate.operation === operation &&
        (operation === 'UNINSTALL'
          ? candidate.name === name
          : candidate.url === url && candidate.sentSha256 === sentSha256),
    );
  }

  /**
   * Puts an operation at the end of the queue; it is on the medium when this returns. Nobody takes more of the queue than is
   * left for others.
   *
   * @throws {DeploymentBusy} `DEPLOYMENT_QUEUE_FULL`, `DEPLOYMENT_UNWRITABLE` when it cannot be kept
   */
  add({ id = randomUUID(), ...requested }: RequestedOperation): Operation {
    this.#refuseBeyondShare(requested.requester);
    const operation: Operation = { ...requested, id, state: 'QUEUED', phase: 'WAITING', percent: 0 };
    try {
      this.#options.operations.save(operation);
    } catch (cause) {
      throw busy('DEPLOYMENT_UNWRITABLE', 'the operation cannot be kept', cause);
    }
    this.#operations.set(id, operation);
    this.#resume();
    return operation;
  }

  #refuseBeyondShare(requester: Operation['requester']): void {
    const pending = [...this.#operations.values()].filter(isPending);
    const own = pending.filter((operation) => operation.requester?.identity === requester?.identity).length;
    const usage = { own, used: pending.length, maximum: MAXIMUM_WAITING_OPERATIONS + 1 };
    if (!isWithinShare(usage, 1)) throw busy('DEPLOYMENT_QUEUE_FULL', 'too many operations wait');
  }

  /** Ends an operation that runs, or that an earlier run of the daemon began; nothing happens when it has ended. */
  conclude(id: string, error?: DeploymentError): void {
    const operation = this.#operations.get(id);
    if (operation?.state !== 'RUNNING') return;
    const ended = this.#decided?.id === id ? this.#decided : this.#toEnded(operation, error);
    this.#decided = undefined;
    this.#save(ended);
    this.#forgetOldest();
    if (!isPending(ended)) this.#options.onFinished(ended);
  }

  /** Lets every operation fail that an earlier run of the daemon left behind. */
  concludeInterrupted(): void {
    const error = new DeploymentError('CANCELLED', 'the gateway ended in between; nothing was changed');
    for (const id of this.#interrupted.splice(0)) this.conclude(id, error);
  }

  /** Runs the operations that wait, and from now on each that is added. */
  start(run: RunOperation): void {
    this.#runOperation = run;
    this.#resume();
  }

  #resume(): void {
    const run = this.#runOperation;
    if (run === undefined) return;
    this.#running ??= this.#runAll(run).finally(() => {
      this.#running = undefined;
    });
  }

  /** Gives up what runs, unless it is past the point of no return; resolves when nothing runs. What waits stays. */
  async stop(): Promise<void> {
    this.#stopping.abort(new DeploymentError('CANCELLED', 'the gateway stops'));
    await this.#running;
  }

  async #runAll(run: RunOperation): Promise<void> {
    for (;;) {
      const [next] = this.#listIn(['QUEUED']);
      const operation = next === undefined ? undefined : this.#operations.get(next);
      if (operation === undefined || this.#stopping.signal.aborted) return;
      await this.#run(operation, run);
    }
  }

  async #run(queued: Operation, run: RunOperation): Promise<void> {
    const { id } = queued;
    const { clock, logger } = this.#options;
    this.#change(id, { state: 'RUNNING', startedAtMs: clock.epochMs() });
    const deadline = new AbortController();
    const cancel = clock.schedule(OPERATION_LIMIT_MS, () =>
      deadline.abort(
        new DeploymentError('TIMEOUT', `the operation was not done after ${OPERATION_LIMIT_MS / 1000} s`),
      ),
    );
    const signal = AbortSignal.any([this.#stopping.signal, deadline.signal]);
    try {
      await run(queued, this.#createProgress(id), signal);
      this.conclude(id);
    } catch (thrown) {
      const error = toDeploymentError(signal.aborted ? signal.reason : thrown);
      if (error.cause !== undefined) logger.warn('deployment.failed', { operationId: id, error });
      this.conclude(id, error);
    } finally {
      cancel();
    }
  }

  #createProgress(id: string): OperationProgress {
    let current: OperationPhase = 'WAITING';
    return {
      enter: (phase) => {
        current = phase;
        this.#change(id, { phase, percent: percentOf(phase) });
      },
      advance: (done) => {
        const operation = this.#operations.get(id);
        // Kept in memory: a medium is not there to count percents.
        if (operation !== undefined)
          this.#operations.set(id, { ...operation, percent: percentOf(current, done) });
      },
      identify: (name, version) => this.#change(id, { name, version }),
      note: (message) => this.#change(id, { message }),
      decide: (error) => this.#decide(id, error),
    };
  }

  #decide(id: string, error: DeploymentError | undefined): void {
    const operation = this.#operations.get(id);
    if (operation?.state !== 'RUNNING') return;
    this.#decided = this.#toEnded(operation, error);
    this.#keep(this.#decided);
  }

  #toEnded(operation: Operation, error: DeploymentError | undefined): Operation {
    if (error?.reason === 'CANCELLED' && this.#stopping.signal.aborted) {
      // A stop of the daemon is no reason to forget what it was asked for.
      const { startedAtMs: _startedAtMs, ...others } = operation;
      return { ...others, state: 'QUEUED', phase: 'WAITING', percent: 0 };
    }
    const finishedAtMs = this.#options.clock.epochMs();
    if (error === undefined) {
      return { ...operation, state: 'COMPLETED', phase: 'FINISHED', percent: 100, finishedAtMs };
    }
    const { deploymentCode: errorCode, detail: message } = error;
    return { ...operation, state: 'FAILED', errorCode, message, finishedAtMs };
  }

  #listIn(states: readonly Operation['state'][]): readonly string[] {
    return [...this.#operations.values()].filter(({ state }) => states.includes(state)).map(({ id }) => id);
  }

  #change(id: string, changes: Partial<Operation>): void {
    const operation = this.#operations.get(id);
    if (operation?.state === 'QUEUED' || operation?.state === 'RUNNING')
      this.#save({ ...operation, ...changes });
  }

  #save(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    this.#keep(operation);
  }

  #keep(operation: Operation): void {
    try {
      this.#options.operations.save(operation);
    } catch (error) {
      // What is done to packages does not depend on what is told about it.
      this.#options.logger.warn('deployment.statusUnwritable', { operationId: operation.id, error });
    }
  }

  #forgetOldest(): void {
    const finished = [...this.#operations.values()].filter((operation) => !isPending(operation));
    for (const { id } of finished.slice(0, -MAXIMUM_KEPT_OPERATIONS)) this.#operations.delete(id);
  }
}

function busy(code: string, detail: string, cause?: unknown): DeploymentBusy {
  const options = { code, detail, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new DeploymentBusy(cause === undefined ? options : { ...options, cause });
}

/** Gives anything that was thrown a reason; of what nobody foresaw only what the system says is shown. */
export function toDeploymentError(thrown: unknown): DeploymentError {
  if (thrown instanceof DeploymentError) return thrown;
  const { code } = thrown as { readonly code?: unknown };
  const shown = typeof code === 'string' ? describeFileFault(thrown) : 'unexpected error; see the log';
  return new DeploymentError('OTHER_ERROR', `the operation failed: ${shown}`, thrown ?? messageOf(thrown));
}
