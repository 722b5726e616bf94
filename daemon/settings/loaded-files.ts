import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { readRegularFile } from '../base/file/regular-file.ts';
import { listProvisionFiles } from './settings-document.ts';

/** Loaded file of the static configuration. */
export interface LoadedFile {
  readonly file: string;
  /** SHA-256 of its content, base64. */
  readonly digest: string;
}

/** File whose content on disk differs from the loaded one. */
export interface ChangedFile {
  /** Relative to the directory of `penstock.yaml`. */
  readonly name: string;
  readonly change: 'ADDED' | 'CHANGED' | 'REMOVED';
}

/** Detects changes of the static configuration files since they were loaded. */
export class LoadedFiles {
  readonly #directory: string;
  #files: readonly LoadedFile[] = [];
  /** File state by path when the content last matched the loaded one. */
  readonly #same = new Map<string, string>();

  /** @param files files loaded last, `penstock.yaml` first */
  constructor(files: readonly LoadedFile[]) {
    this.#directory = path.dirname(path.resolve(files[0]?.file ?? '.'));
    this.replace(files);
  }

  /** Replaces the loaded files, after a reload. */
  replace(files: readonly LoadedFile[]): void {
    this.#files = files;
    this.#same.clear();
  }

  /** Lists the changed files; unreadable ones count as changed. */
  async listChanged(): Promise<readonly ChangedFile[]> {
    if (this.#files.length === 0) return [];
    const known = new Set(this.#files.map(({ file }) => path.resolve(file)));
    const present = await listProvisionFiles(this.#directory).catch(() => []);
    const changes = await Promise.all(this.#files.map(async (loaded) => this.#findChange(loaded)));
    return [
      ...changes.filter((change) => change !== undefined),
      ...present
        .filter((file) => !known.has(path.resolve(file)))
        .map((file): ChangedFile => ({ name: this.#nameOf(file), change: 'ADDED' })),
    ];
  }

  async #findChange({ file, digest }: LoadedFile): Promise<ChangedFile | undefined> {
    const name = this.#nameOf(file);
    try {
      const state = describeState(await stat(file));
      if (this.#same.get(file) === state) return undefined;
      if (digestOf(await readRegularFile(file)) !== digest) return { name, change: 'CHANGED' };
      this.#same.set(file, state);
      return undefined;
    } catch (error) {
      const isGone = (error as { readonly code?: unknown }).code === 'ENOENT';
      return { name, change: isGone ? 'REMOVED' : 'CHANGED' };
    }
  }

  #nameOf(file: string): string {
    return path.relative(this.#directory, path.resolve(file));
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function describeState({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}
