import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { stepTowards } from './row-window.ts';
import type { RowWindow } from './row-window.ts';

// Overscan, so that a flick of the wheel finds rows.
const BEYOND = 8;

/** Returns the rows near the visible part of a scroll container; after a jump, a few are added per frame. */
export function useWindow(place: RefObject<HTMLElement>, count: number, rowHeight: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, end: Math.ceil(innerHeight / rowHeight) });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let frame: number | undefined;
    let present = shown;
    const step = (): void => {
      frame = undefined;
      const [seen, wanted] = lookAt(element, rowHeight);
      const next = stepTowards(present, wanted, seen);
      if (next.first === present.first && next.end === present.end) return;
      present = next;
      setShown(next);
      frame = requestAnimationFrame(step);
    };
    // One step per frame, even if the frame begins with scrolling.
    const look = (): void => {
      frame ??= requestAnimationFrame(step);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [place, rowHeight]);
  return { first: Math.min(shown.first, count), end: Math.min(shown.end, count) };
}

/** Returns the visible rows, and the visible rows with overscan. */
function lookAt(
  { scrollTop, clientHeight }: HTMLElement,
  rowHeight: number,
): readonly [seen: RowWindow, wanted: RowWindow] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight));
  const end = Math.ceil((scrollTop + clientHeight) / rowHeight);
  return [
    { first, end },
    { first: Math.max(0, first - BEYOND), end: end + BEYOND },
  ];
}
