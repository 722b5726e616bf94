import type { JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import { findMetric } from '../node/node-definition.ts';
import type { NodeDefinition } from '../node/node-definition.ts';
import type { NodeSample } from '../node/node-session.ts';
import { toMetricValue } from '../payload/array-value.ts';
import { QUALITY } from '../payload/data-type.ts';
import type { Quality } from '../payload/data-type.ts';

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
}

interface OpenGroup extends SampleGroup {
  readonly samples: NodeSample[];
  bytes: number;
  /** Newest time of each metric, by alias. */
  readonly newest: Map<number, number>;
}

/** Size of a metric without its value, at most. */
const METRIC_BYTES = 48;

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
 * metric stay in the order in which they were taken.
 */
export function groupSamples(
  batch: JournalBatch,
  definition: NodeDefinition,
  options: GroupOptions,
): GroupedSamples {
  const { upTo, maximumMetrics, maximumBytes } = options;
  const metrics = batch.series.map((series) => findMetric(definition, series));
  const groups: OpenGroup[] = [];
  const open = new Map<string, OpenGroup>();
  let unknown = 0;
  for (const [index, sequence] of batch.sequences.entries()) {
    if (sequence > upTo) break;
    const metric = metrics[batch.seriesIndexes[index] ?? -1];
    if (metric === undefined) {
      unknown += 1;
      continue;
    }
    const taken = batch.values[index];
    const value = toMetricValue(metric.type, taken);
    const bytes = METRIC_BYTES + sizeOf(taken);
    let group = open.get(metric.asset);
    const timestampMs = batch.timestamps[index] ?? 0;
    if (
      group === undefined ||
      group.samples.length >= maximumMetrics ||
      group.bytes + bytes > maximumBytes ||
      timestampMs < (group.newest.get(metric.alias) ?? -Infinity)
    ) {
      group = { device: metric.asset, samples: [], bytes: 0, newest: new Map() };
      open.set(metric.asset, group);
      groups.push(group);
    }
    const quality = value === undefined ? QUALITY.BAD : QUALITIES[batch.qualities[index] ?? 'BAD'];
    group.samples.push({ metric, value, quality, timestampMs });
    group.newest.set(metric.alias, timestampMs);
    group.bytes += bytes;
  }
  for (const { samples } of groups) samples.sort((one, other) => one.timestampMs - other.timestampMs);
  return { groups, unknown };
}

function sizeOf(value: JournalBatch['values'][number]): number {
  if (typeof value === 'string') return value.length * 3;
  return value instanceof Uint8Array ? value.byteLength : 0;
}
