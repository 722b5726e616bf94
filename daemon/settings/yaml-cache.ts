import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../base/file/atomic-file.ts';
import { readVersion } from '../base/version.ts';

const DIGEST = 'sha256';
const DIGEST_BYTES = 32;
const PRIVATE = 0o700;

/**
 * Keeps what long texts were read as, by their content, so that a start need not read the same files for half a minute
 * again. It is only a cache: what is damaged, of another version or cannot be written costs that time and nothing else.
 */
export class YamlCache {
  readonly #directory: string;
  readonly #version: string;
  /** Names of the files that were asked for or written since `forgetOthers`. */
  readonly #used = new Set<string>();

  /** @param directory may be absent; nobody but this process and those after it writes there */
  constructor(directory: string, version = readVersion()) {
    this.#directory = directory;
    this.#version = `${version} ${process.version}`;
  }

  /** Finds what was kept for a text; undefined when nothing sound was. */
  async find(text: Uint8Array): Promise<Uint8Array | undefined> {
    const name = this.#nameOf(text);
    this.#used.add(name);
    try {
      const kept = await readFile(path.join(this.#directory, name));
      const content = kept.subarray(DIGEST_BYTES);
      return digestOf(content).equals(kept.subarray(0, DIGEST_BYTES)) ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps something for a text; never throws. */
  async keep(text: Uint8Array, content: Uint8Array): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: PRIVATE });
      const file = path.join(this.#directory, this.#nameOf(text));
      await writeFileAtomically(file, Buffer.concat([digestOf(content), content]));
    } catch {
      // A full disk must not keep the gateway from starting.
    }
  }

  /** Removes what belongs to no text that was asked for since the last call: secrets of files that are gone as well. */
  async forgetOthers(): Promise<void> {
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
