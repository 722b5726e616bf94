import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { route, setQuery } from '../../parts/route.ts';
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
  /** As `show`; steps that follow each other closely are one zoom, such as those of a pinch. */
  readonly drag: (fromMs: number, untilMs: number) => void;
  /** Returns to the range before the last zoom; undefined: there is none. */
  readonly back: (() => void) | undefined;
  /** Scales the length of the range by a factor, around a time. */
  readonly zoom: (factor: number, aroundMs: number | undefined) => void;
}

const SHORTEST_MS = 2000;
const FASTEST_MS = 250;
const SLOWEST_MS = 2000;
// Typical screen width: time moves by whole pixels.
const PIXELS = 1200;
const ONE_ZOOM_MS = 600;
const MAXIMUM_STEPS_BACK = 50;
// Browsers limit how often a page may change its link, and a pinch is many steps.
const LINK_AFTER_MS = 300;

interface HeldRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Time range that follows the present until it is paused; the link contains a paused range. */
export function useTrendWindow(
  collector: TrendCollector,
  { lengthMs, maximumMs }: { readonly lengthMs: number; readonly maximumMs: number },
): TrendWindow {
  const { rest } = useConsole();
  const [held, setHeld] = useHeldRange(maximumMs);
  const [former, setFormer] = useState<readonly (HeldRange | undefined)[]>([]);
  const draggedMs = useRef(0);
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
  const nowMs = rest.gatewayNowMs();
  const liveUntilMs = Math.ceil(nowMs / stepMs) * stepMs;
  const { fromMs, untilMs } = held ?? { fromMs: liveUntilMs - lengthMs, untilMs: liveUntilMs };
  const show = (from: number, until: number): void => {
    const length = Math.round(Math.min(maximumMs, Math.max(SHORTEST_MS, until - from)));
    const end = Math.round(Math.min(nowMs, (from + until + length) / 2));
    setHeld({ fromMs: end - length, untilMs: end });
  };
  const keep = (): void => setFormer([...former, held].slice(-MAXIMUM_STEPS_BACK));
  const drag = (from: number, until: number): void => {
    const atMs = Date.now();
    if (atMs - draggedMs.current > ONE_ZOOM_MS) keep();
    draggedMs.current = atMs;
    show(from, until);
  };
  const zoomTo = (from: number, until: number): void => {
    keep();
    show(from, until);
  };
  const back = (): void => {
    setHeld(former.at(-1));
    setFormer(former.slice(0, -1));
  };
  return {
    span: { fromMs, untilMs, knownUntilMs: collector.knownUntilMs },
    isPaused: held !== undefined,
    name: held === undefined ? `live ${lengthMs}` : nameOf(held),
    pause: () => setHeld({ fromMs: Math.round(fromMs), untilMs: Math.round(untilMs) }),
    goLive: () => {
      setFormer([]);
      setHeld(undefined);
    },
    back: former.length === 0 ? undefined : back,
    show: zoomTo,
    drag,
    zoom: (factor, aroundMs = (fromMs + untilMs) / 2) =>
      zoomTo(aroundMs - (aroundMs - fromMs) * factor, aroundMs + (untilMs - aroundMs) * factor),
  };
}

/** Paused range, as in the link; undefined while the range follows the present. */
function useHeldRange(
  maximumMs: number,
): readonly [held: HeldRange | undefined, setHeld: (held: HeldRange | undefined) => void] {
  const linked = readHeld(route.value.query, maximumMs);
  const [held, setHeld] = useState(linked);
  const written = useRef(nameOf(linked));
  useEffect(() => {
    // Another link was opened.
    if (nameOf(linked) === written.current) return;
    written.current = nameOf(linked);
    setHeld(linked);
  }, [nameOf(linked)]);
  useEffect(() => {
    if (nameOf(held) === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = nameOf(held);
      setQuery('from', held === undefined ? '' : String(held.fromMs));
      setQuery('to', held === undefined ? '' : String(held.untilMs));
    }, LINK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [held]);
  return [held, setHeld];
}

function readHeld(query: URLSearchParams, maximumMs: number): HeldRange | undefined {
  const [fromMs, untilMs] = ['from', 'to'].map((name) => Number(query.get(name) ?? Number.NaN));
  if (fromMs === undefined || untilMs === undefined) return undefined;
  const length = untilMs - fromMs;
  return length >= SHORTEST_MS && length <= maximumMs ? { fromMs, untilMs } : undefined;
}

function nameOf(held: HeldRange | undefined): string {
  return held === undefined ? '' : `${held.fromMs} ${held.untilMs}`;
}
