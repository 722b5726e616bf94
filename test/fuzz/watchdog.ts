import { Worker } from 'node:worker_threads';

const HEADER_WORDS = 3;
const LONGEST_INPUT = 65_536;

/** Ends the process with the input that it hangs in: nothing else can, while code runs in a circle. */
export class Watchdog {
  readonly #shared = new SharedArrayBuffer(4 * HEADER_WORDS + LONGEST_INPUT);
  readonly #words = new Int32Array(this.#shared, 0, HEADER_WORDS);
  readonly #bytes = new Uint8Array(this.#shared, 4 * HEADER_WORDS);
  #worker: Worker | undefined;

  start(target: string): void {
    const workerData = { shared: this.#shared, target };
    this.#worker = new Worker(new URL('watchdog-thread.ts', import.meta.url), { workerData });
    this.#worker.unref();
  }

  /** Notes the input that runs from now on. */
  note(input: Uint8Array): void {
    const { length } = input.subarray(0, LONGEST_INPUT);
    this.#bytes.set(input.subarray(0, length));
    Atomics.store(this.#words, 1, length);
    Atomics.add(this.#words, 0, 1);
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }
}
