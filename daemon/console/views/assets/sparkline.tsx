import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { COURSE_MS } from '../../live/history.ts';
import type { ChannelHistory } from '../../live/history.ts';

interface SparklineProps {
  readonly history: ChannelHistory | undefined;
  readonly nowMs: number;
  /** True for steps instead of slopes. */
  readonly isStepped: boolean;
}

const WIDTH = 120;
const HEIGHT = 20;
const TICK_MS = COURSE_MS / WIDTH;

/** Sparkline of the last five minutes seen by the page, with gaps. */
export function Sparkline({ history, nowMs, isStepped }: SparklineProps): JSX.Element {
  // Movements below one pixel are invisible.
  const tick = Math.floor(nowMs / TICK_MS);
  const path = useMemo(
    () => (history === undefined ? '' : toPath(history, { nowMs: (tick + 1) * TICK_MS, isStepped })),
    [history, tick, isStepped],
  );
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function toPath(
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
