import { open, writeFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { backup } from 'node:sqlite';

// The pages of a step are copied at once; the database waits for it.
const PAGES_IN_STEP = 100;
// The last step waits for the disk, so what it has to write is little.
const STEPS_TO_SYNC = 40;

/** Where a copy goes, and what ends it. */
export interface CopyTarget {
  /** Path of the copy; must not exist. */
  readonly file: string;
  /** Called now and then; an error ends the copying. */
  readonly watch: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Copies a database that is in use, in steps between which others use it. The copy has every change until its end, none of them
 * partly.
 *
 * @throws errors of SQLite, of the file system and of `watch`, and the reason of `signal`; part of the copy is left then
 */
export async function copyDatabase(
  database: DatabaseSync,
  { file, watch, signal }: CopyTarget,
): Promise<void> {
  signal.throwIfAborted();
  // The mode is set at creation: at no moment may others read it.
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  await using handle = await open(file, 'r+');
  const watching = new Watching(async () => {
    await watch();
    await handle.datasync();
  });
  let steps = 0;
  try {
    await backup(database, file, {
      rate: PAGES_IN_STEP,
      progress() {
        signal.throwIfAborted();
        steps += 1;
        if (steps % STEPS_TO_SYNC === 0) watching.begin();
        watching.check();
      },
    });
  } finally {
    await watching.end();
  }
  signal.throwIfAborted();
}

/** Work during the copying, once at a time; its error ends the copying. */
class Watching {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #errors: unknown[] = [];

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  begin(): void {
    this.#running ??= this.#run();
  }

  check(): void {
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  async end(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      this.#errors.push(error);
    }
    this.#running = undefined;
  }
}
