import { HISTORY_MS } from '../world/truth.ts';
import type { RestValue } from '../world/truth.ts';

/** The values that a thing has over time. All times are milliseconds of the world. */
export interface ValueTrack {
  /** Returns the value at a time that is not older than `HISTORY_MS`; where it changes just then, the new one. */
  at(ms: number): RestValue;
  /** Whether it had the value at some moment of this period, its ends included. */
  had(value: RestValue, fromMs: number, toMs: number): boolean;
  /** Whether it had a value at some moment of this period of which this is true. */
  hadOne(isIt: (value: RestValue) => boolean, fromMs: number, toMs: number): boolean;
  /** Returns when the value changes next, as far as it is known now; Infinity when it stays. */
  nextChangeMs(afterMs: number): number;
}

interface Segment {
  readonly fromMs: number;
  readonly offset: number;
}

/** A measured value: it changes by itself, in even steps, and jumps when its device starts again. */
export class MovingTrack implements ValueTrack {
  readonly #make: (count: number) => RestValue;
  readonly #stepMs: number;
  #segments: Segment[] = [{ fromMs: 0, offset: 0 }];

  constructor(make: (count: number) => RestValue, stepMs: number) {
    this.#make = make;
    this.#stepMs = stepMs;
  }

  at(ms: number): RestValue {
    return this.#make(this.#segmentAt(ms).offset + Math.floor(ms / this.#stepMs));
  }

  had(value: RestValue, fromMs: number, toMs: number): boolean {
    return this.hadOne((one) => one === value, fromMs, toMs);
  }

  hadOne(isIt: (value: RestValue) => boolean, fromMs: number, toMs: number): boolean {
    return this.#segments.some((segment, index) => {
      const beginMs = Math.max(fromMs, segment.fromMs);
      const endMs = Math.min(toMs, this.#segments[index + 1]?.fromMs ?? Infinity);
      // At the moment of a step both values count, as nobody can tell which came first.
      const first = Math.max(0, Math.ceil(beginMs / this.#stepMs) - 1);
      if (beginMs > endMs) return false;
      // The newest first, as it is mostly the one.
      for (let step = Math.floor(endMs / this.#stepMs); step >= first; step -= 1) {
        if (isIt(this.#make(segment.offset + step))) return true;
      }
      return false;
    });
  }

  nextChangeMs(afterMs: number): number {
    const stepMs = (Math.floor(afterMs / this.#stepMs) + 1) * this.#stepMs;
    const jump = this.#segments.find(({ fromMs }) => fromMs > afterMs);
    return Math.min(stepMs, jump?.fromMs ?? Infinity);
  }

  /** Goes on from now with values that are this many steps away. */
  jump(nowMs: number, steps: number): void {
    const { offset } = this.#segments.at(-1) ?? FIRST;
    this.#segments.push({ fromMs: nowMs, offset: offset + steps });
    const current = this.#segments.findLastIndex(({ fromMs }) => fromMs <= nowMs - HISTORY_MS);
    if (current > 0) this.#segments.splice(0, current);
  }

  // Nearly everybody asks for the present.
  #segmentAt(ms: number): Segment {
    const newest = this.#segments.at(-1) ?? FIRST;
    if (newest.fromMs <= ms) return newest;
    return this.#segments.findLast(({ fromMs }) => fromMs <= ms) ?? FIRST;
  }
}

const FIRST: Segment = { fromMs: 0, offset: 0 };

// Forgetting one by one would cost more than everything else.
const FORGOTTEN_AT_ONCE = 256;

interface HeldValue {
  readonly fromMs: number;
  readonly value: RestValue;
}

/** A value that stays until it is set. */
export class HeldTrack implements ValueTrack {
  #values: HeldValue[];

  constructor(initial: RestValue) {
    this.#values = [{ fromMs: 0, value: initial }];
  }

  at(ms: number): RestValue {
    const held = this.#values.findLast(({ fromMs }) => fromMs <= ms) ?? this.#values[0];
    if (held === undefined) throw new RangeError(`no value at ${ms} ms`);
    return held.value;
  }

  had(value: RestValue, fromMs: number, toMs: number): boolean {
    return this.hadOne((one) => one === value, fromMs, toMs);
  }

  hadOne(isIt: (value: RestValue) => boolean, fromMs: number, toMs: number): boolean {
    // The newest first: most requests are about the present.
    let endMs = Infinity;
    for (let index = this.#values.length - 1; index >= 0 && endMs >= fromMs; index -= 1) {
      const held = this.#values[index];
      if (held === undefined) break;
      if (held.fromMs <= toMs && isIt(held.value)) return true;
      endMs = held.fromMs;
    }
    return false;
  }

  nextChangeMs(afterMs: number): number {
    return this.#values.find(({ fromMs }) => fromMs > afterMs)?.fromMs ?? Infinity;
  }

  set(nowMs: number, value: RestValue): void {
    this.#values.push({ fromMs: nowMs, value });
    if ((this.#values[FORGOTTEN_AT_ONCE]?.fromMs ?? nowMs) > nowMs - HISTORY_MS) return;
    this.#values.splice(0, FORGOTTEN_AT_ONCE);
  }
}
