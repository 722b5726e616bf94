import type { Clock } from '../clock.ts';

/** A file read timed out; `code` as the system reports it. */
class FileTimeout extends Error {
  readonly code = 'ETIMEDOUT';
  readonly syscall = 'read';

  constructor(file: string) {
    super(`ETIMEDOUT: no answer in time, '${file}'`);
  }
}

// Below the timeouts of clients, and enough for a disk to spin up.
const LIMIT_MS = 3000;
// Node.js has four threads for all files: two that hang leave as many for the rest.
const MAXIMUM_RUNNING = 2;

/**
 * Bounds the time of file reads, for example on an unreachable file server. An abandoned read still occupies a thread:
 * until it ends, the same file is not read again, and at most one other can join it.
 */
export class BoundedReads {
  readonly #clock: Pick<Clock, 'schedule'>;
  /** Each resolves when the read of its file ends. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #hung = new Set<string>();

  constructor(clock: Pick<Clock, 'schedule'>) {
    this.#clock = clock;
  }

  /**
   * Runs a file read, or queues it.
   *
   * @throws {FileTimeout} when it has not ended in time; immediately if an earlier one is still running
   */
  async run<T>(file: string, read: () => Promise<T>): Promise<T> {
    const deadline = Promise.withResolvers<never>();
    deadline.promise.catch(() => undefined);
    let isLate = false;
    const cancel = this.#clock.schedule(LIMIT_MS, () => {
      isLate = true;
      deadline.reject(new FileTimeout(file));
    });
    try {
      while (this.#running.has(file) || this.#running.size >= MAXIMUM_RUNNING) {
        if (this.#hung.has(file) || this.#hung.size >= MAXIMUM_RUNNING) throw new FileTimeout(file);
        await Promise.race([...this.#running.values(), deadline.promise]);
      }
      return await Promise.race([this.#start(file, read), deadline.promise]);
    } catch (error) {
      // Its own read, not one that it waited for.
      if (isLate && this.#running.has(file)) this.#hung.add(file);
      throw error;
    } finally {
      cancel();
    }
  }

  #start<T>(file: string, read: () => Promise<T>): Promise<T> {
    const reading = read();
    const end = (): void => {
      this.#running.delete(file);
      this.#hung.delete(file);
    };
    this.#running.set(file, reading.then(end, end));
    return reading;
  }
}
