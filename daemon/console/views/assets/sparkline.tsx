import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { COURSE_MS } from '../../live/history.ts';
import type { ChannelHistory } from '../../live/history.ts';
import { HEIGHT, toPath, WIDTH } from './sparkline-path.ts';

interface SparklineProps {
  readonly history: ChannelHistory | undefined;
  readonly nowMs: number;
  /** True for steps instead of slopes. */
  readonly isStepped: boolean;
}

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
