import type { Owner } from '../support/temporary-directory.ts';
import type { WatchOptions } from './pause-watch-process.ts';
import { startRemote } from './remote.ts';
import type { Remote } from './remote.ts';
import { quantile } from './statistics.ts';

/** Times between a request and its answer, in milliseconds, in ascending order. */
type Latencies = readonly number[];

/**
 * A client whose requests at a steady pace show how long others make it wait. It has a process of its own: a client that writes or
 * reads a large document makes itself wait.
 */
export class PauseWatch {
  readonly #remote: Remote;

  private constructor(remote: Remote) {
    this.#remote = remote;
  }

  /** Starts a client whose request is answered with 200; it ends with its owner. */
  static async open(t: Owner, options: WatchOptions): Promise<PauseWatch> {
    const remote = await startRemote(t, 'pause-watch-process.ts');
    await remote.call('open', options);
    return new PauseWatch(remote);
  }

  /** Returns the latencies while some work is done, and until all that it has delayed is answered. */
  async during(work: () => Promise<unknown>): Promise<Latencies> {
    await this.#remote.call('begin');
    await work();
    return this.#remote.call<Latencies>('end');
  }
}

/** Returns the longest latency. */
export function longestOf(latencies: Latencies): number {
  return latencies.at(-1) ?? 0;
}

/** Returns the latency that one in a hundred exceeds. */
export function p99Of(latencies: Latencies): number {
  return quantile(latencies, 0.99);
}
