import type { ErrorCodeOf } from '../../../base/error-codes.ts';
import { isWithinShare } from '../../../base/sharing/fair-share.ts';
import type { Logger } from '../../../base/logger.ts';
import { DeploymentBusy } from '../../package/deployment-error.ts';
import { isPending } from './operation.ts';
import type { Operation } from './operation.ts';
import { MAXIMUM_KEPT_OPERATIONS } from './operation-store.ts';
import type { OperationStore } from './operation-store.ts';

/** Maximum operations queued behind the running one. */
export const MAXIMUM_WAITING_OPERATIONS = 16;

const RETRY_AFTER_SECONDS = 30;

/** Fields that identify duplicates of a requested operation. */
export type OperationSubject = Pick<Operation, 'operation' | 'url' | 'sentSha256' | 'name'>;

/** Queued, running and recently finished operations; every change is written to the store. */
export class OperationLog {
  readonly #store: OperationStore;
  readonly #logger: Logger;
  readonly #operations = new Map<string, Operation>();

  constructor(store: OperationStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Reads the operations that an earlier run of the daemon stored. */
  load(): void {
    for (const operation of this.#store.list()) this.#operations.set(operation.id, operation);
  }

  /** Returns every operation, the newest first. */
  list(): readonly Operation[] {
    return [...this.#operations.values()].toReversed();
  }

  find(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** Returns the operations in one of these states, the oldest first. */
  listIn(states: readonly Operation['state'][]): readonly Operation[] {
    return [...this.#operations.values()].filter(({ state }) => states.includes(state));
  }

  /** Returns the queued or running operation of the same kind on the same subject. */
  findPending({ operation, url, sentSha256, name }: OperationSubject): Operation | undefined {
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
   * Adds an operation; it is stored when this returns. An identity may use half of the remaining capacity.
   *
   * @throws {DeploymentBusy} `DEPLOYMENT_QUEUE_FULL`; `DEPLOYMENT_UNWRITABLE` when it cannot be stored
   */
  add(operation: Operation): void {
    this.#refuseBeyondShare(operation.requester);
    try {
      this.#store.save(operation);
    } catch (cause) {
      throw busy('DEPLOYMENT_UNWRITABLE', 'the operation cannot be stored', cause);
    }
    this.#operations.set(operation.id, operation);
  }

  /** Replaces an operation, and evicts the oldest finished ones. */
  put(operation: Operation): void {
    this.save(operation);
    this.#show(operation);
  }

  /**
   * Replaces an operation as `put` does, but without a sync, so a power loss may undo it. Waiting for the disk, which is busy
   * with the package, would block every reader of the gateway.
   */
  putQuickly(operation: Operation): void {
    this.#attempt(operation, () => this.#store.saveQuickly(operation));
    this.#show(operation);
  }

  /** Sets the progress of an operation in memory only, to spare the disk. */
  setPercent(id: string, percent: number): void {
    const operation = this.#operations.get(id);
    if (operation !== undefined) this.#operations.set(id, { ...operation, percent });
  }

  /** Writes an operation to the store without showing it yet. */
  save(operation: Operation): void {
    this.#attempt(operation, () => this.#store.save(operation));
  }

  #attempt({ id }: Operation, write: () => void): void {
    try {
      write();
    } catch (error) {
      // The change continues: it does not depend on the record of its progress.
      this.#logger.warn('deployment.statusNotWritten', { operationId: id, error });
    }
  }

  #show(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    if (isPending(operation)) return;
    const ended = [...this.#operations.values()].filter((other) => !isPending(other));
    for (const { id } of ended.slice(0, -MAXIMUM_KEPT_OPERATIONS)) this.#operations.delete(id);
  }

  #refuseBeyondShare(requester: Operation['requester']): void {
    const pending = this.listIn(['QUEUED', 'RUNNING']);
    const own = pending.filter((operation) => operation.requester?.identity === requester?.identity).length;
    const usage = { own, used: pending.length, maximum: MAXIMUM_WAITING_OPERATIONS + 1 };
    if (!isWithinShare(usage, 1)) throw busy('DEPLOYMENT_QUEUE_FULL', 'too many operations are queued');
  }
}

function busy(code: ErrorCodeOf<503>, detail: string, cause?: unknown): DeploymentBusy {
  const options = { code, detail, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new DeploymentBusy(cause === undefined ? options : { ...options, cause });
}
