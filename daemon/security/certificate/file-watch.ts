import { stat } from 'node:fs/promises';

import type { Cancel, Clock } from '../../base/clock.ts';

interface FileWatchOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Files to watch; called at each poll. */
  readonly files: () => readonly string[];
  /** Called after the files have changed and then remained unchanged for one interval; must not throw. */
  readonly onChange: () => void | Promise<void>;
  /** Called at each poll; must not throw. */
  readonly onLook?: () => void;
}

/**
 * Detects replaced files by polling, because file system notifications fail on network mounts and through symbolic links.
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
   * Starts polling unless it is already running.
   *
   * @param known state of the files that is already handled, {@link describeFiles}
   */
  start(known: string): void {
    this.#handled = known;
    this.#latest = known;
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#schedule();
  }

  /** Stops polling; resolves when no call is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Resolves at the end of the current poll, if any. */
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
    // Wait until the files are stable: one may still be being written, or be the first of a pair.
    if (this.#latest === this.#handled || this.#latest !== previous) return;
    this.#handled = this.#latest;
    await this.#options.onChange();
  }
}

/** Returns a fingerprint that changes if a file is written, replaced, created or removed, or its mode changes. */
export async function describeFiles(files: readonly string[]): Promise<string> {
  const states: string[] = [];
  // Sequential: on an unreachable file server, each call would block one of the four threads for files.
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
