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

/** An operation as a client requests it. */
export type RequestedOperation = OperationSubject &
  Pick<Operation, 'requester'> & {
    /** Given when the package is already stored under this id. */
    readonly id?: string;
  };

/** Reports how far an operation is. */
export interface OperationProgress {
  enter(phase: OperationPhase): void;
  /** @param done part of the phase, 0 to 1 */
  advance(done: number): void;
  /** Names the package, once it is known. */
  identify(name: string, version: string): void;
  /** Names what the bundles of the package may use. */
  grant(grants: readonly BundleGrants[]): void;
  /** Adds a message to an operation that succeeds. */
  note(message: string): void;
  /** Stores how the operation ends, before clients see it. Absent error: it succeeds. */
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

/** Runs operations one after the other, in the order of the requests, and keeps them over restarts. */
export class OperationQueue {
  readonly #options: OperationQueueOptions;
  readonly #log: OperationLog;
  readonly #stopping = new AbortController();
  #runOperation: RunOperation | undefined;
  #running: Promise<void> | undefined;
  /** Operations that an earlier run of the daemon did not end. */
  #interrupted: readonly string[] = [];
  /** The running operation as it is going to end. */
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

  /** Returns every operation that is known, the newest first. */
  list(): readonly Operation[] {
    return this.#log.list();
  }

  find(id: string): Operation | undefined {
    return this.#log.find(id);
  }

  /** Returns the ids of operations whose package, where a client sent it, is still needed. */
  listKept(): readonly string[] {
    const isStopping = this.#stopping.signal.aborted;
    return this.#log.listIn(isStopping ? ['QUEUED', 'RUNNING'] : ['QUEUED']).map(({ id }) => id);
  }

  /** Returns the operation of the same kind on the same subject that waits or runs. */
  findPending(subject: OperationSubject): Operation | undefined {
    return this.#log.findPending(subject);
  }

  /**
   * Puts an operation at the end of the queue; it is stored when this returns.
   *
   * @throws {DeploymentBusy} `DEPLOYMENT_QUEUE_FULL`, also for an identity that has used its share; `DEPLOYMENT_UNWRITABLE`
   *   when it cannot be stored
   */
  add({ id = this.#options.random.uuid(), ...requested }: RequestedOperation): Operation {
    const operation: Operation = { ...requested, id, state: 'QUEUED', phase: 'WAITING', percent: 0 };
    this.#log.add(operation);
    this.#resume();
    return operation;
  }

  /**
   * Notes that files which an operation removed are still there, or that they are gone.
   *
   * @param leftover why they are there; undefined: they are gone
   */
  noteLeftover(id: string, leftover: string | undefined): void {
    const operation = this.#log.find(id);
    if (operation === undefined || operation.leftover === leftover) return;
    const { leftover: _leftover, ...others } = operation;
    this.#log.put(leftover === undefined ? others : { ...others, leftover });
  }

  /** Ends an operation of this run or an earlier one; does nothing when it has ended. */
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

  /** Ends with an error every operation that an earlier run of the daemon did not end. */
  concludeInterrupted(): void {
    const error = new DeploymentError(
      'CANCELLED',
      'the gateway stopped during the operation; nothing was changed',
    );
    const ids = this.#interrupted;
    this.#interrupted = [];
    for (const id of ids) this.conclude(id, error);
  }

  /** Runs the operations that wait, and from now on each that is added. */
  start(run: RunOperation): void {
    this.#runOperation = run;
    this.#resume();
  }

  /** Cancels the running operation unless it is past the point of no return, and waits for its end. The others stay queued. */
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
      // In the same step as the last look: what is added afterwards starts a run of its own.
      this.#running = undefined;
    }
  }

  #next(): Operation | undefined {
    return this.#stopping.signal.aborted ? undefined : this.#log.listIn(['QUEUED'])[0];
  }

  async #run(queued: Operation, run: RunOperation): Promise<void> {
    const { id } = queued;
    const { clock, logger } = this.#options;
    // On disk before anything is changed: a start that finds it queued would do it again.
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
      note: (message) => this.#change(id, { message }),
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
      // The next run of the daemon does what this one was stopped from doing.
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

/** Converts a thrown value to an error with a reason. Of an unexpected error it shows only the system's description. */
export function toDeploymentError(thrown: unknown): DeploymentError {
  if (thrown instanceof DeploymentError) return thrown;
  const { code } = thrown as { readonly code?: unknown };
  const shown = typeof code === 'string' ? describeFileFault(thrown) : 'unexpected error; see the log';
  return new DeploymentError('OTHER_ERROR', `the operation failed: ${shown}`, thrown ?? messageOf(thrown));
}
