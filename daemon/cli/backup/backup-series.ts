import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Backups in one directory with times in their names; only the newest ones are kept. */
export class BackupSeries {
  readonly #folder: string;
  readonly #stem: string;
  readonly #ending: string;
  readonly #kept: number;

  /**
   * @param file the name without a time: `/var/backups/penstock.age` stands for `penstock-20260101T080000Z.age`
   * @param kept number of backups to keep
   */
  constructor(file: string, kept: number) {
    const { dir, name, ext } = path.parse(file);
    this.#folder = dir;
    this.#stem = name;
    this.#ending = ext;
    this.#kept = kept;
  }

  /** Returns the file name of a backup at a time. */
  nameAt(time: Date): string {
    const text = time.toISOString().replace(/[-:]|\.\d+/g, '');
    return path.join(this.#folder, `${this.#stem}-${text}${this.#ending}`);
  }

  /**
   * Deletes all but the newest backups, by name.
   *
   * @returns the deleted files, oldest first
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
