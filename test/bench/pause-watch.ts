import { setTimeout as wait } from 'node:timers/promises';

import { RawConnection } from './raw-connection.ts';
import { quantile } from './statistics.ts';

const INTERVAL_MS = 4;

/** Times between a request and its answer, in milliseconds, in ascending order. */
type Latencies = readonly number[];

/** A client whose requests at a steady pace show how long others make it wait. */
export class PauseWatch {
  readonly #connection: RawConnection;
  readonly #request: Buffer;
  #latencies: number[] = [];
  #isOpen = true;

  private constructor(connection: RawConnection, request: string) {
    this.#connection = connection;
    this.#request = Buffer.from(request);
  }

  /** @param request as it goes over the wire; its answer is 200 */
  static async open(port: number, request: string): Promise<PauseWatch> {
    const watch = new PauseWatch(await RawConnection.open({ port }, false), request);
    void watch.#run();
    return watch;
  }

  /** Returns the latencies while some work is done, and until all that it has delayed is answered. */
  async during(work: () => Promise<unknown>): Promise<Latencies> {
    this.#latencies = [];
    await work();
    const { length } = this.#latencies;
    while (this.#latencies.length < length + 3) await wait(INTERVAL_MS);
    return this.#latencies.toSorted((left, right) => left - right);
  }

  close(): void {
    this.#isOpen = false;
    this.#connection.close();
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      const sentMs = performance.now();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#connection.send(this.#request, () => resolve());
      await promise;
      this.#latencies.push(performance.now() - sentMs);
      await wait(INTERVAL_MS);
    }
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
