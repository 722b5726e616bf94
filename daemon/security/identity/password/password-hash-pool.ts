import type { Cancel, Clock } from '../../../base/clock.ts';
import { Unavailable } from '../../../base/errors.ts';
import { FairQueue } from '../../../base/sharing/fair-queue.ts';
import type { QueueSource } from '../../../base/sharing/fair-queue.ts';
import type { HashRequest, HashThread } from './password-hash-thread.ts';

/** Maximum concurrent hashes: more would take 19 MiB each and all cores of a small gateway. */
export const MAXIMUM_HASHES_AT_ONCE = 2;

/** Maximum queued hashes: during a login flood, more would delay a login by seconds. */
export const MAXIMUM_HASHES_WAITING = 32;

/** Maximum queued passwords of one name from one address. */
export const MAXIMUM_HASHES_WAITING_PER_SOURCE = 8;

// An idle thread takes 3 MiB; to start one costs as much processor time as a hash.
const DEFAULT_IDLE_MS = 10_000;

interface Job {
  readonly request: HashRequest;
  readonly resolve: (tag: Uint8Array) => void;
  readonly reject: (reason: Unavailable) => void;
}

interface HashPoolOptions {
  readonly clock: Clock;
  readonly startThread: () => HashThread;
  /** Idle time after which a thread is terminated; it is started again on demand. */
  readonly idleMs?: number | undefined;
}

/** Distributes hash computations over at most two threads, round-robin over the sources. */
export class PasswordHashPool {
  readonly #options: HashPoolOptions;
  readonly #waiting = new FairQueue<Job>({
    maximum: MAXIMUM_HASHES_WAITING,
    maximumPerSource: MAXIMUM_HASHES_WAITING_PER_SOURCE,
  });
  readonly #busy = new Set<HashThread>();
  readonly #idle: HashThread[] = [];
  #cancelIdleEnd: Cancel | undefined;
  #isStopped = false;

  constructor(options: HashPoolOptions) {
    this.#options = options;
  }

  /**
   * Computes a hash, queued by source.
   *
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL`, also while queued, if the source occupies most of a queue that others need;
   *   `PASSWORD_HASHING_FAILED` or `PASSWORD_HASHING_STOPPED`
   */
  run(request: HashRequest, source: QueueSource): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw createStopped();
      const displaced = this.#waiting.add(source, { request, resolve, reject });
      displaced?.reject(createQueueFull());
      this.#assign();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelIdleEnd?.();
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take()) {
      job.reject(createStopped());
    }
    await Promise.all([...this.#busy, ...this.#idle].map((thread) => thread.end()));
    this.#endIdleThreads();
  }

  #assign(): void {
    this.#cancelIdleEnd?.();
    this.#cancelIdleEnd = undefined;
    while (this.#busy.size < MAXIMUM_HASHES_AT_ONCE) {
      const job = this.#waiting.take();
      if (job === undefined) break;
      void this.#execute(job);
    }
    if (this.#busy.size > 0 || this.#idle.length === 0) return;
    this.#cancelIdleEnd = this.#options.clock.schedule(this.#options.idleMs ?? DEFAULT_IDLE_MS, () => {
      this.#endIdleThreads();
    });
  }

  async #execute({ request, resolve, reject }: Job): Promise<void> {
    let thread: HashThread | undefined;
    try {
      thread = this.#takeThread();
      resolve(await thread.derive(request));
    } catch (cause) {
      reject(this.#isStopped ? createStopped() : createFailed(cause));
    }
    if (thread === undefined) return;
    this.#busy.delete(thread);
    if (this.#isStopped) return;
    if (thread.isAlive()) this.#idle.push(thread);
    this.#assign();
  }

  #takeThread(): HashThread {
    let thread = this.#idle.pop();
    while (thread !== undefined && !thread.isAlive()) thread = this.#idle.pop();
    thread ??= this.#options.startThread();
    this.#busy.add(thread);
    return thread;
  }

  #endIdleThreads(): void {
    for (const thread of this.#idle.splice(0)) void thread.end();
  }
}

/** Creates the error for a password that cannot be checked in time because too many are being checked. */
export function createQueueFull(): Unavailable {
  return new Unavailable({
    code: 'PASSWORD_QUEUE_FULL',
    detail: 'too many password checks in progress',
    retryAfterSeconds: 1,
  });
}

function createFailed(cause: unknown): Unavailable {
  return new Unavailable({
    code: 'PASSWORD_HASHING_FAILED',
    detail: 'cannot check the password',
    cause,
    retryAfterSeconds: 1,
  });
}

function createStopped(): Unavailable {
  return new Unavailable({
    code: 'PASSWORD_HASHING_STOPPED',
    detail: 'the gateway is stopping',
    retryAfterSeconds: 5,
  });
}
