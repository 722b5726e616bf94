import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import { COURSE_MS } from '../../live/history.ts';
import type { ChannelHistory } from '../../live/history.ts';

/** Width of a sparkline, in pixels. */
export const WIDTH = 120;
/** Height of a sparkline, in pixels. */
export const HEIGHT = 20;

/** True for a step curve: what is written, and BOOLEAN and integer channels, has no values in between. */
export function hasSteps({ type, valueType }: Pick<ChannelRecord, 'type' | 'valueType'>): boolean {
  return type === 'READ_WRITE' || valueType === 'BOOLEAN' || valueType === 'INTEGER' || valueType === 'LONG';
}

/**
 * Returns the SVG path of the last five minutes, with gaps.
 *
 * @param isStepped a value holds until the next one, without slopes
 */
export function toPath(
  history: ChannelHistory,
  { nowMs, isStepped }: { readonly nowMs: number; readonly isStepped: boolean },
): string {
  const fromMs = nowMs - COURSE_MS;
  const all = [...history.columns()];
  // The value at the start of the history was reported before it.
  const columns = all.filter((_column, index) => (all[index + 1]?.ms ?? nowMs) >= fromMs);
  const seen = columns.filter(({ last }) => !Number.isNaN(last));
  const lowest = Math.min(...seen.map(({ low }) => low));
  const span = Math.max(...seen.map(({ high }) => high)) - lowest;
  const y = (value: number): string =>
    (span === 0 ? HEIGHT / 2 : HEIGHT - 2 - ((value - lowest) / span) * (HEIGHT - 4)).toFixed(1);
  const x = (ms: number): string => Math.max(0, ((ms - fromMs) / COURSE_MS) * WIDTH).toFixed(1);
  let path = '';
  let before: number | undefined;
  for (const { ms, low, high, last } of columns) {
    if (Number.isNaN(last)) {
      before = undefined;
      continue;
    }
    if (before === undefined) path += `M${x(ms)},${y(low)}`;
    else if (isStepped) path += `H${x(ms)}`;
    path += low === high ? `L${x(ms)},${y(last)}` : `L${x(ms)},${y(low)}V${y(high)}V${y(last)}`;
    before = last;
  }
  // A value holds until the next report.
  return before === undefined ? path : `${path}L${x(nowMs)},${y(before)}`;
}
