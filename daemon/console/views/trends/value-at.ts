import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { formatValue } from '../../text/value-text.ts';
import { decimalsOf, labelOf } from '../assets/channel-row.ts';

/** Placeholder of an unknown value. */
export const NONE = '–';

/** Formats the value of a curve at a time; a dash if unknown. */
export function valueAt(
  collector: TrendCollector,
  name: CurveName,
  channel: ChannelRecord,
  ms: number,
): string {
  const samples = collector.samplesOf(name);
  const index = indexAt(collector, name, ms);
  if (samples === undefined || index === undefined) return NONE;
  const value = samples.valueAt(index);
  if (channel.valueType === 'BOOLEAN') return formatValue(value !== 0, 0);
  const text = samples.textAt(index);
  return formatValue(text === String(value) ? value : text, decimalsOf(channel));
}

/** Returns the label of the value of a curve at a time; undefined if it has none. */
export function labelAt(
  collector: TrendCollector,
  name: CurveName,
  channel: ChannelRecord,
  ms: number,
): string | undefined {
  if (channel.labels === undefined) return undefined;
  const samples = collector.samplesOf(name);
  const index = indexAt(collector, name, ms);
  if (samples === undefined || index === undefined) return undefined;
  const isBoolean = channel.valueType === 'BOOLEAN';
  return labelOf(channel, isBoolean ? samples.valueAt(index) !== 0 : samples.textAt(index));
}

/** Returns the cause for which a curve has no value at a time; undefined if it has one, or none is known. */
export function causeAt(collector: TrendCollector, name: CurveName, ms: number): string | undefined {
  return collector.samplesOf(name)?.gapAt(ms)?.cause;
}

function indexAt(collector: TrendCollector, name: CurveName, ms: number): number | undefined {
  const samples = collector.samplesOf(name);
  if (samples === undefined || ms > collector.knownUntilMs || samples.gapAt(ms) !== undefined)
    return undefined;
  const index = samples.indexAt(ms);
  return index < 0 ? undefined : index;
}
