import { formatValue } from '../../../daemon/channel/value-json.ts';
import type { Sample } from '../../../daemon/plant/journal/sample.ts';
import type { RestValue } from '../world/truth.ts';

/** Returns the value of a sample as clients get it; undefined for a sample without one. */
export function toRestValue({ series: { valueType }, value }: Sample): RestValue | undefined {
  if (value === undefined) return undefined;
  const text = formatValue(valueType, value);
  const parsed = JSON.parse(text) as RestValue;
  return typeof parsed === 'number' && valueType === 'LONG' && !Number.isSafeInteger(parsed) ? text : parsed;
}

/** Returns a text that is the same for equal samples alone. */
export function describeSample(sample: Sample): string {
  const { series, recorders, quality, status, timestampMs, takenAtMs } = sample;
  const value = sample.value === undefined ? '' : formatValue(series.valueType, sample.value);
  const times = [timestampMs, takenAtMs].map(Math.round).join(' ');
  const parts = [series.asset, series.channel, series.valueType, recorders.join(','), quality, status ?? ''];
  return `${parts.join(' ')} ${times} ${value}`;
}
