import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Backups in one folder whose names differ by their times; the newest ones are kept. */
export class BackupSeries {
  readonly #folder: string;
  readonly #stem: string;
  readonly #ending: string;
  readonly #kept: number;

  /**
   * @param file the name without a time: `/var/backups/penstock.age` stands for `penstock-20260101T080000Z.age`
   * @param kept how many remain
   */
  constructor(file: string, kept: number) {
    const { dir, name, ext } = path.parse(file);
    this.#folder = dir;
    this.#stem = name;
    this.#ending = ext;
    this.#kept = kept;
  }

  /** Returns the file of a backup that is made at a time. */
  nameAt(time: Date): string {
    const text = time.toISOString().replace(/[-:]|\.\d+/g, '');
    return path.join(this.#folder, `${this.#stem}-${text}${this.#ending}`);
  }

  /**
   * Deletes all but the newest ones by their names, and nothing else.
   *
   * @returns what was deleted, the oldest first
   */
  async prune(): Promise<readonly string[]> {
    const names = await readdir(this.#folder);
    const removed = names
      .filter((name) => this.#isOfSeries(name))
      .sort()
      .slice(0, -this.#kept)
      .map((name) => path.join(this.#folder, name));
    for (const file of removed) await rm(file, { force: true });
    return removed;
  }

  #isOfSeries(name: string): boolean {
    const isNamed = name.startsWith(`${this.#stem}-`) && name.endsWith(this.#ending);
    return (
      isNamed && /^\d{8}T\d{6}Z$/.test(name.slice(this.#stem.length + 1, name.length - this.#ending.length))
    );
  }
}
