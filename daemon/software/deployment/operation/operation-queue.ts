import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { RandomSource } from '../../../base/random.ts';
import { DeploymentError } from '../../package/deployment-error.ts';
import type { BundleGrants } from '../bundle-grants.ts';
import { isPending, percentOf } from './operation.ts';
import type { Operation, OperationPhase } from './operation.ts';
import { OperationLog } from './operation-log.ts';
import type { OperationSubject } from './operation-log.ts';
import type { OperationStore } from './operation-store.ts';
import { messageOf } from '../../../base/errors.ts';
import { describeFileFault } from '../../../base/file/file-fault.ts';

/** Time limit of an operation. */
export const OPERATION_LIMIT_MS = 900_000;

/** Operation as a client requests it. */
export type RequestedOperation = OperationSubject &
  Pick<Operation, 'requester'> & {
    /** Given when the package is already stored under this id. */
    readonly id?: string;
  };

/** Reports the progress of an operation. */
export interface OperationProgress {
  enter(phase: OperationPhase): void;
  /** @param done part of the phase, 0 to 1 */
  advance(done: number): void;
  /** Names the package, once it is known. */
  identify(name: string, version: string): void;
  /** Records the permissions of the bundles of the package. */
  grant(grants: readonly BundleGrants[]): void;
  /** Adds a message to an operation that succeeds. */
  addMessage(message: string): void;
  /** Stores the result of the operation before clients see it. Absent error: success. */
  decide(error?: DeploymentError): void;
}

/** Runs one operation; the operation fails with the error that this throws. */
type RunOperation = (operation: Operation, progress: OperationProgress, signal: AbortSignal) => Promise<void>;

interface OperationQueueOptions {
  readonly operations: OperationStore;
  readonly onFinished: (operation: Operation) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: RandomSource;
}

/** Runs operations one after the other, in the order of the requests; they survive restarts. */
export class OperationQueue {
  readonly #options: OperationQueueOptions;
  readonly #log: OperationLog;
  readonly #stopping = new AbortController();
  #runOperation: RunOperation | undefined;
  #running: Promise<void> | undefined;
  /** Operations that an earlier run of the daemon did not complete. */
  #interrupted: readonly string[] = [];
  /** Final state of the running operation, already stored. */
  #decided: Operation | undefined;

  constructor(options: OperationQueueOptions) {
    this.#options = options;
    this.#log = new OperationLog(options.operations, options.logger);
  }

  /** Reads the stored operations; none of them runs before `start`. */
  load(): void {
    this.#log.load();
    this.#interrupted = this.#log.listIn(['RUNNING']).map(({ id }) => id);
  }

  /** Returns every stored operation, newest first. */
  list(): readonly Operation[] {
    return this.#log.list();
  }

  find(id: string): Operation | undefined {
    return this.#log.find(id);
  }

  /** Returns the ids of operations that still need a package sent by a client. */
  listKept(): readonly string[] {
    const isStopping = this.#stopping.signal.aborted;
    return this.#log.listIn(isStopping ? ['QUEUED', 'RUNNING'] : ['QUEUED']).map(({ id }) => id);
  }

  /** Returns the queued or running operation of the same kind on the same subject. */
  findPending(subject: OperationSubject): Operation | undefined {
    return this.#log.findPending(subject);
  }

  /**
   * Appends an operation to the queue; it is stored when this returns.
   *
   * @throws {DeploymentBusy} `DEPLOYMENT_QUEUE_FULL`, also if the quota of the identity is exhausted; `DEPLOYMENT_UNWRITABLE`
   *   if it cannot be stored
   */
  add({ id = this.#options.random.uuid(), ...requested }: RequestedOperation): Operation {
    const operation: Operation = { ...requested, id, state: 'QUEUED', phase: 'WAITING', percent: 0 };
    this.#log.add(operation);
    this.#resume();
    return operation;
  }

  /**
   * Records that files which an operation should have removed still exist, or that they are gone.
   *
   * @param leftover reason why they still exist; undefined: they are gone
   */
  recordLeftover(id: string, leftover: string | undefined): void {
    const operation = this.#log.find(id);
    if (operation === undefined || operation.leftover === leftover) return;
    const { leftover: _leftover, ...others } = operation;
    this.#log.put(leftover === undefined ? others : { ...others, leftover });
  }

  /** Completes an operation of this run or an earlier one; has no effect if it is already complete. */
  conclude(id: string, error?: DeploymentError): void {
    const operation = this.#log.find(id);
    if (operation?.state !== 'RUNNING') return;
    const decided = this.#decided?.id === id ? this.#decided : this.#toEnded(operation, error);
    const { leftover } = operation;
    const ended = leftover === undefined ? decided : { ...decided, leftover };
    this.#decided = undefined;
    this.#log.put(ended);
    if (!isPending(ended)) this.#options.onFinished(ended);
  }

  /** Completes with an error every operation that an earlier run of the daemon did not complete. */
  concludeInterrupted(): void {
    const error = new DeploymentError(
      'CANCELLED',
      'the gateway stopped during the operation; nothing was changed',
    );
    const ids = this.#interrupted;
    this.#interrupted = [];
    for (const id of ids) this.conclude(id, error);
  }

  /** Runs the queued operations, and later each added one. */
  start(run: RunOperation): void {
    this.#runOperation = run;
    this.#resume();
  }

  /** Cancels the running operation unless it is past the point of no return, and waits for it. The others stay queued. */
  async stop(): Promise<void> {
    this.#stopping.abort(new DeploymentError('CANCELLED', 'the gateway stops'));
    await this.#running;
  }

  #resume(): void {
    const run = this.#runOperation;
    const first = this.#next();
    if (run !== undefined && first !== undefined) this.#running ??= this.#runAll(first, run);
  }

  async #runAll(first: Operation, run: RunOperation): Promise<void> {
    try {
      for (let next: Operation | undefined = first; next !== undefined; next = this.#next()) {
        await this.#run(next, run);
      }
    } finally {
      // Synchronous with the last check: an operation added afterwards starts a new run.
      this.#running = undefined;
    }
  }

  #next(): Operation | undefined {
    return this.#stopping.signal.aborted ? undefined : this.#log.listIn(['QUEUED'])[0];
  }

  async #run(queued: Operation, run: RunOperation): Promise<void> {
    const { id } = queued;
    const { clock, logger } = this.#options;
    // Stored before anything is changed: a start that finds it queued would repeat it.
    this.#log.put({ ...queued, state: 'RUNNING', startedAtMs: clock.epochMs() });
    const deadline = new AbortController();
    const cancel = clock.schedule(OPERATION_LIMIT_MS, () => {
      const detail = `the operation did not end within ${OPERATION_LIMIT_MS / 1000} s`;
      deadline.abort(new DeploymentError('TIMEOUT', detail));
    });
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
      advance: (done) => this.#log.setPercent(id, percentOf(current, done)),
      identify: (name, version) => this.#change(id, { name, version }),
      grant: (grants) => this.#change(id, { grants }),
      addMessage: (message) => this.#change(id, { message }),
      decide: (error) => this.#decide(id, error),
    };
  }

  #decide(id: string, error: DeploymentError | undefined): void {
    const operation = this.#log.find(id);
    if (operation?.state !== 'RUNNING') return;
    this.#decided = this.#toEnded(operation, error);
    this.#log.save(this.#decided);
  }

  #toEnded(operation: Operation, error: DeploymentError | undefined): Operation {
    if (error?.reason === 'CANCELLED' && this.#stopping.signal.aborted) {
      // The next run of the daemon repeats the cancelled operation.
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

  #change(id: string, changes: Partial<Operation>): void {
    const operation = this.#log.find(id);
    if (operation !== undefined && isPending(operation)) this.#log.putQuickly({ ...operation, ...changes });
  }
}

/** Converts a thrown value to an error with a reason. An unexpected error shows only the system's description. */
export function toDeploymentError(thrown: unknown): DeploymentError {
  if (thrown instanceof DeploymentError) return thrown;
  const { code } = thrown as { readonly code?: unknown };
  const shown = typeof code === 'string' ? describeFileFault(thrown) : 'unexpected error; see the log';
  return new DeploymentError('OTHER_ERROR', `the operation failed: ${shown}`, thrown ?? messageOf(thrown));
}
