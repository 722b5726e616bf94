import { createHash } from 'node:crypto';

import type { RandomSource } from '../../../daemon/base/random.ts';

/**
 * Random numbers that are the same in each run with the same seed.
 *
 * Each thing of a world draws from a branch with its own name, so that leaving one thing out changes nothing that the
 * others draw. The generator is SplitMix32 with two words of state.
 */
export class Random implements RandomSource {
  readonly #seed: string;
  #state: number;
  readonly #step: number;

  constructor(seed: string) {
    this.#seed = seed;
    const digest = createHash('sha256').update(seed).digest();
    this.#state = digest.readUInt32LE(0);
    this.#step = digest.readUInt32LE(4) | 1;
  }

  /** Returns the generator with this name, which draws the same numbers whatever was drawn here before. */
  branch(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** Returns an integer from `minimum` to `maximum`, both included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.fraction() * (maximum - minimum + 1));
  }

  /** Returns true as often as `probability` says, which is from 0 to 1. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Returns one of the items. @throws {RangeError} when there is none */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** Returns one key; each is drawn as often as its weight says. */
  pickWeighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1);
    if (found === undefined) throw new RangeError('nothing to pick from');
    return found[0];
  }

  /** Returns milliseconds until the next of events that come at any time, this far apart on average. */
  exponential(meanMs: number): number {
    return -Math.log(1 - this.fraction()) * meanMs;
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.#next() >>> 24;
    return bytes;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  #next(): number {
    this.#state = (this.#state + this.#step) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}
