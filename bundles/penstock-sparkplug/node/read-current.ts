import type { BundleAssets, PlainRecord } from '../../../daemon/software/bundle/runner/context.ts';
import { toMetricValue } from '../payload/array-value.ts';
import { QUALITY } from '../payload/data-type.ts';
import type { CurrentValues } from './current-values.ts';
import type { DefinedDevice, DefinedMetric, NodeDefinition } from './node-definition.ts';
import type { NodeSample } from './node-session.ts';

/** Maximum number of channels in one call. */
const MAXIMUM_NAMES = 1000;
/** Assets that are read at the same time. */
const CONCURRENT_READS = 8;

/**
 * Reads the current values of all metrics.
 *
 * @param signal what comes after it has aborted is not kept
 */
export async function readCurrent(
  definition: NodeDefinition,
  values: CurrentValues,
  assets: Pick<BundleAssets, 'read'>,
  signal: AbortSignal,
): Promise<void> {
  const devices = [...definition.values()];
  const readNext = async (): Promise<void> => {
    for (let device = devices.shift(); device !== undefined && !signal.aborted; device = devices.shift()) {
      await readDevice(device, values, assets, signal);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readNext));
}

async function readDevice(
  { id, metrics }: DefinedDevice,
  values: CurrentValues,
  assets: Pick<BundleAssets, 'read'>,
  signal: AbortSignal,
): Promise<void> {
  const names = [...metrics.values()]
    .filter(({ columns }) => columns === undefined)
    .map(({ channel }) => channel);
  for (let from = 0; from < names.length; from += MAXIMUM_NAMES) {
    let records: readonly PlainRecord[];
    try {
      records = await assets.read(id, names.slice(from, from + MAXIMUM_NAMES));
    } catch {
      // Its metrics are born as they were last known.
      return;
    }
    if (signal.aborted) return;
    for (const record of records) {
      const metric = metrics.get(record.name);
      if (metric !== undefined) values.put(toSample(metric, record));
    }
  }
}

function toSample(metric: DefinedMetric, record: PlainRecord): NodeSample {
  const { timestampMs, quality } = record;
  const isUsable = record.failure === undefined && record.valueType === metric.valueType;
  const value = isUsable ? toMetricValue(metric.type, record.value) : undefined;
  if (value === undefined) return { metric, value, quality: QUALITY.BAD, timestampMs };
  return { metric, value, quality: quality === 'UNCERTAIN' ? QUALITY.STALE : QUALITY.GOOD, timestampMs };
}
