import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import type { Span } from '../../trend/trend-points.ts';

/** Displayed time range, and functions to change it. */
export interface TrendWindow {
  readonly span: Span;
  readonly isPaused: boolean;
  /** Changes if the range changes by other than the passing of time. */
  readonly name: string;
  readonly pause: () => void;
  readonly goLive: () => void;
  readonly show: (fromMs: number, untilMs: number) => void;
  /** Scales the length of the range by a factor, around a time. */
  readonly zoom: (factor: number, aroundMs: number | undefined) => void;
}

const SHORTEST_MS = 2000;
const FASTEST_MS = 250;
const SLOWEST_MS = 2000;
// Typical screen width: time moves by whole pixels.
const PIXELS = 1200;

/** Time range that follows the present until it is paused. */
export function useTrendWindow(
  collector: TrendCollector,
  { lengthMs, maximumMs }: { readonly lengthMs: number; readonly maximumMs: number },
): TrendWindow {
  const { rest } = useConsole();
  const [held, setHeld] = useState<{ readonly fromMs: number; readonly untilMs: number } | undefined>(
    undefined,
  );
  const [, setTick] = useState(0);
  const stepMs = lengthMs / PIXELS;
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (!document.hidden) setTick((before) => before + 1);
      },
      Math.min(SLOWEST_MS, Math.max(FASTEST_MS, stepMs)),
    );
    return () => clearInterval(timer);
  }, [stepMs]);
  // Choosing a length returns to live.
  useEffect(() => setHeld(undefined), [lengthMs]);

  const nowMs = rest.gatewayNowMs();
  const liveUntilMs = Math.ceil(nowMs / stepMs) * stepMs;
  const { fromMs, untilMs } = held ?? { fromMs: liveUntilMs - lengthMs, untilMs: liveUntilMs };
  const show = (from: number, until: number): void => {
    const length = Math.min(maximumMs, Math.max(SHORTEST_MS, until - from));
    const end = Math.min(nowMs, (from + until + length) / 2);
    setHeld({ fromMs: end - length, untilMs: end });
  };
  return {
    span: { fromMs, untilMs, knownUntilMs: collector.knownUntilMs },
    isPaused: held !== undefined,
    name: held === undefined ? `live ${lengthMs}` : `${fromMs} ${untilMs}`,
    pause: () => setHeld({ fromMs, untilMs }),
    goLive: () => setHeld(undefined),
    show,
    zoom: (factor, aroundMs = (fromMs + untilMs) / 2) =>
      show(aroundMs - (aroundMs - fromMs) * factor, aroundMs + (untilMs - aroundMs) * factor),
  };
}
