import type { ListenerControl } from '../asset/read/subscription.ts';
import type { RecordingTask, RecordingTaskOptions } from './recording-task.ts';

interface ChangeTerms {
  /** Maximum change of a number that is not recorded. */
  readonly deadband: number;
  readonly minimumIntervalMs: number;
}

/** Samples the changes of channels, as a listener with a deadband and a minimum interval sees them. */
export class ChangeTask implements RecordingTask {
  readonly #options: RecordingTaskOptions;
  readonly #terms: ChangeTerms;
  #listener: ListenerControl | undefined;

  constructor(terms: ChangeTerms, options: RecordingTaskOptions) {
    this.#terms = terms;
    this.#options = options;
  }

  start(): void {
    const { findAsset, channels, take } = this.#options;
    const { deadband, minimumIntervalMs } = this.#terms;
    this.#listener = findAsset()?.listen({
      names: channels,
      deadbandOf: () => deadband,
      minimumIntervalMs,
      output: {
        isFull: false,
        send: (event) => {
          if (event.type !== 'gap') take(event.records);
        },
        end: () => {
          this.#listener = undefined;
        },
      },
    });
  }

  follow(): void {
    if (this.#listener === undefined) this.start();
  }

  renew(): void {
    this.stop();
    this.start();
  }

  stop(): void {
    this.#listener?.stop();
    this.#listener = undefined;
  }
}
