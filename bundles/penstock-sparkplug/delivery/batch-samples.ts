import type { JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import type { RowValues } from '../node/data-set-row.ts';
import { findMetric } from '../node/node-definition.ts';
import type { NodeDefinition } from '../node/node-definition.ts';
import type { NodeSample } from '../node/node-session.ts';
import { toMetricValue } from '../payload/array-value.ts';
import { QUALITY } from '../payload/data-type.ts';
import type { Quality } from '../payload/data-type.ts';
import { Rounds } from './rounds.ts';

/** Samples of one device for one message. */
export interface SampleGroup {
  readonly device: string;
  readonly samples: readonly NodeSample[];
}

/** Samples of a batch by message, and those of channels that the node does not have. */
export interface GroupedSamples {
  readonly groups: readonly SampleGroup[];
  /** Number of samples without a metric. */
  readonly unknown: number;
}

export interface GroupOptions {
  /** Samples with a higher sequence number are left out. */
  readonly upTo: number;
  readonly maximumMetrics: number;
  /** Maximum size of the values of a message; a single one may exceed it. */
  readonly maximumBytes: number;
  /** Values of the columns of data sets before the batch; it takes those of the batch. */
  readonly rows: RowValues;
}

interface OpenGroup extends SampleGroup {
  readonly samples: NodeSample[];
  /** Number of those that are metrics of the message. */
  metrics: number;
  bytes: number;
  /** Newest time of each metric, by alias. */
  readonly newest: Map<number, number>;
}

/** Size of a metric without its value, at most. */
const METRIC_BYTES = 48;
/** Size of an element of a data set with its type and the length of its name, but without its text, at most. */
const ELEMENT_BYTES = 20;

const QUALITIES: Readonly<Record<JournalBatch['qualities'][number], Quality>> = {
  GOOD: QUALITY.GOOD,
  // There is no code for a value in doubt: as one that may not be current.
  UNCERTAIN: QUALITY.STALE,
  BAD: QUALITY.BAD,
};

/** Returns true if a batch has samples up to a cursor of channels that a node does not have. */
export function hasUnknown(
  { series, seriesIndexes, sequences }: JournalBatch,
  definition: NodeDefinition,
  upTo: number,
): boolean {
  const unknown = new Set<number>();
  for (const [index, each] of series.entries()) {
    if (findMetric(definition, each) === undefined) unknown.add(index);
  }
  if (unknown.size === 0) return false;
  return seriesIndexes.some((index, sample) => unknown.has(index) && (sequences[sample] ?? Infinity) <= upTo);
}

/**
 * Distributes the samples of a batch to messages: those of a device are together, until a message is full or the time of a metric goes
 * back. A message has its samples in order of time (tck-id-operational-behavior-data-publish-dbirth-order), and the samples of each
 * metric stay in the order in which they were taken. A device with a data set gets a row after the samples that were taken together.
 */
export function groupSamples(
  batch: JournalBatch,
  definition: NodeDefinition,
  options: GroupOptions,
): GroupedSamples {
  const metrics = batch.series.map((series) => findMetric(definition, series));
  const groups = new MessageGroups(options);
  const rounds = new Rounds(definition, options.rows, (row) => groups.add(row));
  let unknown = 0;
  for (const [index, sequence] of batch.sequences.entries()) {
    if (sequence > options.upTo) break;
    const metric = metrics[batch.seriesIndexes[index] ?? -1];
    if (metric === undefined) {
      unknown += 1;
      continue;
    }
    const taken = batch.values[index];
    const value = toMetricValue(metric.type, taken);
    const quality = value === undefined ? QUALITY.BAD : QUALITIES[batch.qualities[index] ?? 'BAD'];
    const sample = { metric, value, quality, timestampMs: batch.timestamps[index] ?? 0 };
    rounds.begin(metric.asset, batch.takenAt[index] ?? 0);
    groups.add(sample);
    rounds.take(sample);
  }
  rounds.end();
  return { groups: groups.finish(), unknown };
}

/** Groups of samples that become messages. */
class MessageGroups {
  readonly #options: GroupOptions;
  readonly #groups: OpenGroup[] = [];
  readonly #open = new Map<string, OpenGroup>();

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  add(sample: NodeSample): void {
    const { maximumMetrics, maximumBytes } = this.#options;
    const { metric, timestampMs, value } = sample;
    // What is only a column of the data set takes no room: it goes along, for the state of the device.
    const bytes = metric.isBorn ? METRIC_BYTES + sizeOf(value) : 0;
    let group = this.#open.get(metric.asset);
    const isFull =
      group !== undefined &&
      metric.isBorn &&
      (group.metrics >= maximumMetrics ||
        group.bytes + bytes > maximumBytes ||
        timestampMs < (group.newest.get(metric.alias) ?? -Infinity));
    if (group === undefined || isFull) {
      group = { device: metric.asset, samples: [], metrics: 0, bytes: 0, newest: new Map() };
      this.#open.set(metric.asset, group);
      this.#groups.push(group);
    }
    group.samples.push(sample);
    group.newest.set(metric.alias, timestampMs);
    group.bytes += bytes;
    if (metric.isBorn) group.metrics += 1;
  }

  finish(): readonly SampleGroup[] {
    for (const { samples } of this.#groups) samples.sort((one, other) => one.timestampMs - other.timestampMs);
    return this.#groups;
  }
}

function sizeOf(value: NodeSample['value']): number {
  if (typeof value === 'string') return value.length * 3;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object') return 0;
  const names = value.columns.reduce((sum, { name }) => sum + name.length * 3, 0);
  return value.elements.reduce<number>((sum, each) => sum + ELEMENT_BYTES + sizeOf(each), names);
}
