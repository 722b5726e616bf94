import { pinch } from './pinch.ts';
import type { Fingers } from './pinch.ts';

interface PinchOptions {
  /** Returns the time at a position of the plot. */
  readonly toMs: (x: number) => number;
  readonly onZoom: (fromMs: number, untilMs: number) => void;
}

/** Pinch zoom on a plot. One finger scrolls the page. */
export function watchPinch(plot: HTMLElement, { toMs, onZoom }: PinchOptions): void {
  const fingers = new Map<number, number>();
  let times: Fingers | undefined;
  const readFingers = (): Fingers | undefined => {
    const [one, other, third] = fingers.values();
    return one === undefined || other === undefined || third !== undefined ? undefined : [one, other];
  };
  const begin = (): void => {
    const both = readFingers();
    times = both === undefined ? undefined : [toMs(both[0]), toMs(both[1])];
  };
  const toX = ({ clientX }: PointerEvent): number => clientX - plot.getBoundingClientRect().left;
  plot.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, toX(event));
    begin();
  });
  plot.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, toX(event));
    const both = readFingers();
    if (times === undefined || both === undefined) return;
    const { fromMs, untilMs } = pinch(times, both, plot.clientWidth);
    onZoom(fromMs, untilMs);
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    plot.addEventListener(end, (event) => {
      if (fingers.delete(event.pointerId)) begin();
    });
  }
}
