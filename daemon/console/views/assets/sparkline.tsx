import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { ChannelHistory } from '../../live/history.ts';

interface SparklineProps {
  readonly history: ChannelHistory | undefined;
  readonly nowMs: number;
  /** Draws steps instead of slopes. */
  readonly isStepped: boolean;
}

const SPAN_MS = 300_000;
const WIDTH = 120;
const HEIGHT = 20;

/** The course of the last five minutes, as far as the page has seen them; gaps stay open. */
export function Sparkline({ history, nowMs, isStepped }: SparklineProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (canvas.current === null || context === null || context === undefined) return;
    const ratio = devicePixelRatio;
    canvas.current.width = WIDTH * ratio;
    canvas.current.height = HEIGHT * ratio;
    context.scale(ratio, ratio);
    context.strokeStyle = getComputedStyle(canvas.current).color;
    if (history !== undefined) draw(context, history, { nowMs, isStepped });
  });
  return <canvas class="sparkline" ref={canvas} width={WIDTH} height={HEIGHT} aria-hidden="true" />;
}

function draw(
  context: CanvasRenderingContext2D,
  { times, values }: ChannelHistory,
  { nowMs, isStepped }: { readonly nowMs: number; readonly isStepped: boolean },
): void {
  const fromMs = nowMs - SPAN_MS;
  const seen = values.filter((value, index) => Number.isFinite(value) && (times[index] ?? 0) >= fromMs);
  const last = values.findLast((value) => Number.isFinite(value)) ?? 0;
  const low = Math.min(...seen, last);
  const high = Math.max(...seen, last);
  const span = high - low;
  const y = (value: number): number =>
    span === 0 ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / span) * (HEIGHT - 4);
  const x = (ms: number): number => Math.max(0, ((ms - fromMs) / SPAN_MS) * WIDTH);
  context.beginPath();
  let before: number | undefined;
  for (const [index, ms] of times.entries()) {
    const value = values[index] ?? Number.NaN;
    const next = times[index + 1] ?? nowMs;
    if (next < fromMs) continue;
    if (!Number.isFinite(value)) {
      before = undefined;
      continue;
    }
    if (before === undefined) context.moveTo(x(ms), y(value));
    else {
      if (isStepped) context.lineTo(x(ms), y(before));
      context.lineTo(x(ms), y(value));
    }
    before = value;
  }
  // A value stays until another one is told.
  if (before !== undefined) context.lineTo(x(nowMs), y(before));
  context.stroke();
}
