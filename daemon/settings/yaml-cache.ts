import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../base/file/atomic-file.ts';
import { readVersion } from '../base/version.ts';

const DIGEST = 'sha256';
const DIGEST_BYTES = 32;
const PRIVATE = 0o700;

/**
 * Caches the parsed form of long texts by their content, because parsing can take half a minute at a start. Damaged
 * entries, those of other versions, and write errors only cost that time.
 */
export class YamlCache {
  readonly #directory: string;
  readonly #version: string;
  /** Names of the files used since `removeUnused`. */
  readonly #used = new Set<string>();

  /** @param directory may be missing; only this process and its successors write to it */
  constructor(directory: string, version = readVersion()) {
    this.#directory = directory;
    this.#version = `${version} ${process.version}`;
  }

  /** Returns the cached form of a text; undefined if there is no intact one. */
  async find(text: Uint8Array): Promise<Uint8Array | undefined> {
    const name = this.#nameOf(text);
    this.#used.add(name);
    try {
      const stored = await readFile(path.join(this.#directory, name));
      const content = stored.subarray(DIGEST_BYTES);
      return digestOf(content).equals(stored.subarray(0, DIGEST_BYTES)) ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /** Stores the parsed form of a text; never throws. */
  async store(text: Uint8Array, content: Uint8Array): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: PRIVATE });
      const file = path.join(this.#directory, this.#nameOf(text));
      await writeFileAtomically(file, Buffer.concat([digestOf(content), content]));
    } catch {
      // A full disk must not keep the gateway from starting.
    }
  }

  /** Removes entries not used since the last call, because they may contain secrets of deleted files. */
  async removeUnused(): Promise<void> {
    const used = new Set(this.#used);
    this.#used.clear();
    try {
      const names = await readdir(this.#directory);
      await Promise.all(
        names.filter((name) => !used.has(name)).map((name) => rm(path.join(this.#directory, name))),
      );
    } catch {
      // The next start tries again.
    }
  }

  #nameOf(text: Uint8Array): string {
    return createHash(DIGEST).update(`${this.#version}\0`).update(text).digest('hex');
  }
}

function digestOf(content: Uint8Array): Buffer {
  return createHash(DIGEST).update(content).digest();
}
