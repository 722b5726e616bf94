import type { DataValue } from 'node-opcua-client';

import type { RestValue } from '../../world/truth.ts';
import { createDataValue } from './answers.ts';
import type { ElementRange } from './element-range.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface MonitoredItemOptions {
  readonly clientHandle: number;
  readonly node: SimulatedNode;
  /** Elements of an array; absent: all. */
  readonly range: ElementRange | undefined;
  readonly samplingIntervalMs: number;
  readonly queueSize: number;
  /** Which values a full queue loses: the oldest, or the last one before the newest (OPC 10000-4, 7.21). */
  readonly discardsOldest: boolean;
  /** The first sample. */
  readonly beginMs: number;
  /** Returns milliseconds since the epoch for a time of the world, as the server sees it. */
  readonly toClockMs: (ms: number) => number;
}

/** A node that a server looks at in even steps; what it saw is worked out when it is reported. */
export class MonitoredItem {
  readonly clientHandle: number;
  readonly node: SimulatedNode;
  #options: MonitoredItemOptions;
  /** Times of samples that are not reported yet. */
  #seen: number[] = [];
  /** Samples are numbered, as sums of times are not exact; Infinity: nothing new is foretold. */
  #nextSample = 0;
  #lastSample = -1;
  #last: { readonly value: RestValue; readonly status: string } | undefined;

  constructor(options: MonitoredItemOptions) {
    this.clientHandle = options.clientHandle;
    this.node = options.node;
    this.#options = options;
  }

  /** Returns when it may see something new, as far as it is known now. */
  get nextNewsMs(): number {
    return this.#seen[0] ?? this.#timeOf(this.#nextSample);
  }

  /** Samples at another interval from now on, or queues another number of values; those in the queue stay. */
  modify(terms: Pick<MonitoredItemOptions, 'samplingIntervalMs' | 'queueSize'>, nowMs: number): void {
    this.#look(nowMs);
    this.#options = { ...this.#options, ...terms, beginMs: nowMs };
    this.#lastSample = -1;
    this.#nextSample = 0;
  }

  /** Looks again: the node changed otherwise than was foretold. */
  noteChange(nowMs: number): void {
    this.#nextSample = Math.min(this.#nextSample, this.#sampleFrom(nowMs));
  }

  /** Returns what was seen and not reported yet, oldest first, and no more than the queue holds. */
  take(nowMs: number): readonly DataValue[] {
    const { node, range, toClockMs } = this.#options;
    this.#look(nowMs);
    const seen = this.#seen;
    this.#seen = [];
    return this.#queue(seen).map((sampleMs) =>
      createDataValue(node, sampleMs, { clockMs: toClockMs(sampleMs), range }),
    );
  }

  #look(nowMs: number): void {
    const { node, range } = this.#options;
    while (this.#timeOf(this.#nextSample) <= nowMs) {
      const sampleMs = this.#timeOf(this.#nextSample);
      const value = node.valueAt(sampleMs, range);
      const status = node.statusAt(sampleMs);
      if (this.#last?.value !== value || this.#last.status !== status) this.#seen.push(sampleMs);
      this.#last = { value, status };
      this.#lastSample = this.#nextSample;
      this.#nextSample = this.#sampleFrom(node.nextChangeMs(sampleMs));
    }
  }

  #queue(seen: readonly number[]): readonly number[] {
    const { queueSize, discardsOldest } = this.#options;
    if (discardsOldest || seen.length <= queueSize) return seen.slice(-queueSize);
    return [...seen.slice(0, queueSize - 1), ...seen.slice(-1)];
  }

  #timeOf(sample: number): number {
    return this.#options.beginMs + sample * this.#options.samplingIntervalMs;
  }

  // The first sample at that time or after it, and after the last one.
  #sampleFrom(ms: number): number {
    const { beginMs, samplingIntervalMs } = this.#options;
    return Math.max(this.#lastSample + 1, Math.ceil((ms - beginMs) / samplingIntervalMs));
  }
}
