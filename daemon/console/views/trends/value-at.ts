import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import { formatNumber } from '../../text/format.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { decimalsOf, formatValue, labelOf } from '../assets/channel-row.ts';

const NONE = '–';

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

/** Returns the change of a curve between two times. */
export function differenceOf(
  collector: TrendCollector,
  name: CurveName,
  channel: ChannelRecord,
  [fromMs, untilMs]: readonly [number, number],
): string {
  const samples = collector.samplesOf(name);
  const from = indexAt(collector, name, fromMs);
  const until = indexAt(collector, name, untilMs);
  if (samples === undefined || from === undefined || until === undefined) return NONE;
  const texts = [samples.textAt(until), samples.textAt(from)] as const;
  const isWhole = texts.every((text) => /^-?\d+$/.test(text));
  const difference = isWhole
    ? String(BigInt(texts[0]) - BigInt(texts[1]))
    : formatNumber(samples.valueAt(until) - samples.valueAt(from), decimalsOf(channel) ?? 0);
  const shown = isWhole ? formatNumber(difference, 0) : difference;
  return /^[−0]/.test(shown) ? shown : `+${shown}`;
}

function indexAt(collector: TrendCollector, name: CurveName, ms: number): number | undefined {
  const samples = collector.samplesOf(name);
  if (samples === undefined || ms > collector.knownUntilMs || samples.gapAt(ms) !== undefined)
    return undefined;
  const index = samples.indexAt(ms);
  return index < 0 ? undefined : index;
}
