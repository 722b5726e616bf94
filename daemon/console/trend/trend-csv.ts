import { writeCsvRows } from '../text/csv.ts';
import type { Series } from './samples.ts';

/** Curve with its samples. */
export interface CollectedCurve {
  readonly asset: string;
  readonly channel: string;
  readonly unit: string;
  readonly samples: Series;
}

/**
 * Returns the samples as CSV (RFC 4180): one row per sample with every digit, and one per start and end of a gap.
 *
 * @param formatInstant formats a time with its UTC offset
 */
export function writeCsv(
  curves: readonly CollectedCurve[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  formatInstant: (ms: number) => string,
): string {
  const rows: { readonly ms: number; readonly cells: readonly string[] }[] = [];
  const isInside = (ms: number): boolean => ms >= fromMs && ms <= untilMs;
  for (const { asset, channel, unit, samples } of curves) {
    const add = (ms: number, value: string, gap: string): void => {
      if (isInside(ms)) rows.push({ ms, cells: [formatInstant(ms), asset, channel, value, unit, gap] });
    };
    for (let index = 0; index < samples.length; index += 1) {
      add(samples.timeAt(index), samples.textAt(index), '');
    }
    for (const gap of samples.gaps) add(gap.fromMs, '', gap.cause);
  }
  rows.sort((a, b) => a.ms - b.ms);
  const head = ['time', 'asset', 'channel', 'value', 'unit', 'gap'];
  return writeCsvRows([head, ...rows.map(({ cells }) => cells)]);
}
