import { stat } from 'node:fs/promises';

import type { Cancel, Clock } from '../../base/clock.ts';

interface FileWatchOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Called at each look. */
  readonly files: () => readonly string[];
  /** Called when the files have changed and then stayed as they are for one interval; must not throw. */
  readonly onChange: () => void | Promise<void>;
  /** Called at each look; must not throw. */
  readonly onLook?: () => void;
}

/**
 * Detects that files were replaced, by polling: notifications of the file system fail on network mounts and through
 * symbolic links.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #handled = '';
  #latest = '';
  #isStopped = true;
  #cancel: Cancel = () => undefined;
  #looking = Promise.resolve();

  constructor(options: FileWatchOptions) {
    this.#options = options;
  }

  /**
   * Begins to look, if it does not already.
   *
   * @param known the state of the files that is handled already, {@link describeFiles}
   */
  start(known: string): void {
    this.#handled = known;
    this.#latest = known;
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#schedule();
  }

  /** Resolves when no call runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Resolves when the present look, if any, has ended. */
  get looking(): Promise<void> {
    return this.#looking;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.schedule(this.#options.intervalMs, () => {
      this.#looking = this.#look().finally(() => this.#schedule());
    });
  }

  async #look(): Promise<void> {
    this.#options.onLook?.();
    const previous = this.#latest;
    this.#latest = await describeFiles(this.#options.files());
    // A file that is still being written, or one of a pair, is left alone until nothing moves any more.
    if (this.#latest === this.#handled || this.#latest !== previous) return;
    this.#handled = this.#latest;
    await this.#options.onChange();
  }
}

/** Returns a text that changes when a file is written, replaced, created or removed, or its mode changes. */
export async function describeFiles(files: readonly string[]): Promise<string> {
  const states: string[] = [];
  // One after the other: on a server that is gone each would hold one of the four threads for files.
  for (const file of files) states.push(`${file} ${await describeFile(file)}`);
  return states.join('\n');
}

async function describeFile(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mode } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs, mode].join(' ');
  } catch {
    return 'absent';
  }
}
